#include "tests/bench/papers/bodies.h"
#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

pen_status pen_bodies_place(int32_t count, uint64_t seed, bodies_body **bodies)
{
    bodies_set set;
    const char *wrong = pen_bodies_draw(count, seed, &set);
    *bodies = set.bodies;
    return wrong ? pen_fail(PEN_ERR_MEMORY, "%s", wrong) : PEN_OK;
}

/* ---- The tree --------------------------------------------------------------------------------- */

enum { LEVELS = 20 };

static int by_path(const void *a, const void *b)
{
    const bodies_item *x = a, *y = b;
    if (x->path != y->path) return x->path < y->path ? -1 : 1;
    return (x->body > y->body) - (x->body < y->body);
}

static bodies_item item_of(const bodies_body *body, int32_t number)
{
    const double cells = 1 << LEVELS;
    bodies_item it = { .body = number };
    uint64_t steps[3];
    for (int k = 0; k < 3; k++) {
        it.place[k] = body->place[k];
        steps[k] = (uint64_t)fmin(fmax((body->place[k] + 32.0) / 64.0 * cells, 0.0), cells - 1.0);
    }
    for (int level = LEVELS - 1; level >= 0; level--)
        for (int k = 0; k < 3; k++) it.path = it.path << 1 | (steps[k] >> level & 1);
    return it;
}

/* Add the cell of items [first, end), which agree in `level` steps, and all below it. */
static pen_status add_cell(bodies_tree *t, int32_t first, int32_t end, int level)
{
    PEN_TRY(pen_reserve(&t->cells, sizeof *t->cells, t->count + 1, &t->room));
    int32_t number = t->count++;
    bodies_cell c = { .first = first, .bodies = end - first, .leaf = -1 };
    double low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = DBL_MAX;
        high[k] = -DBL_MAX;
        for (int32_t i = first; i < end; i++) {
            double x = t->items[i].place[k];
            c.centre[k] += x / c.bodies;
            low[k] = fmin(low[k], x);
            high[k] = fmax(high[k], x);
        }
        c.size += (high[k] - low[k]) * (high[k] - low[k]);
    }
    c.size = sqrt(c.size);
    if (c.bodies <= t->cell_most || level == LEVELS) c.leaf = t->leaves++;
    t->cells[number] = c;
    int shift = 3 * (LEVELS - 1 - level);
    for (int32_t i = first, child; c.leaf < 0 && i < end; i = child) {
        for (child = i; child < end && t->items[child].path >> shift == t->items[i].path >> shift;) child++;
        PEN_TRY(add_cell(t, i, child, level + 1));
    }
    t->cells[number].next = t->count;
    return PEN_OK;
}

pen_status pen_bodies_tree_create(int32_t count, const bodies_body *bodies, int32_t cell_most, bodies_tree *tree)
{
    *tree = (bodies_tree){ .cell_most = cell_most };
    PEN_TRY(PEN_ALLOC(&tree->items, count));
    for (int32_t i = 0; i < count; i++) tree->items[i] = item_of(&bodies[i], i);
    qsort(tree->items, (size_t)count, sizeof *tree->items, by_path);
    return add_cell(tree, 0, count, 0);
}

void pen_bodies_tree_free(bodies_tree *tree)
{
    PEN_FREE_ALL(tree->items, tree->cells);
    *tree = (bodies_tree){ .count = 0 };
}

bool pen_bodies_are_close(const bodies_cell *w, const bodies_cell *v, double closeness)
{
    double square = 0.0;
    for (int k = 0; k < 3; k++) square += (v->centre[k] - w->centre[k]) * (v->centre[k] - w->centre[k]);
    return w->size >= closeness * sqrt(square);
}

/* ---- Motion ----------------------------------------------------------------------------------- */

static void attract(const double *place, const double *other, double mass, double *acceleration)
{
    const double softening = 0.05;
    double apart[3], square = softening * softening;
    for (int k = 0; k < 3; k++) {
        apart[k] = other[k] - place[k];
        square += apart[k] * apart[k];
    }
    double pull = mass / (square * sqrt(square));
    for (int k = 0; k < 3; k++) acceleration[k] += pull * apart[k];
}

/* On the bodies of leaf v. */
static void attract_leaf(const bodies_tree *t, const bodies_cell *v, double mass, double closeness,
                         double (*accelerations)[3])
{
    for (int32_t j = 0; j < t->count;) {
        const bodies_cell *w = &t->cells[j];
        bool close = w == v || pen_bodies_are_close(w, v, closeness);
        j = close ? j + 1 : w->next;
        for (int32_t a = v->first; a < v->first + v->bodies; a++) {
            const bodies_item *x = &t->items[a];
            if (!close) attract(x->place, w->centre, mass * w->bodies, accelerations[x->body]);
            for (int32_t b = w->first; close && w->leaf >= 0 && b < w->first + w->bodies; b++)
                attract(x->place, t->items[b].place, mass, accelerations[x->body]);
        }
    }
}

static pen_status kick(int32_t count, bodies_body *bodies, int32_t cell_most, double closeness, double dt,
                       double (*accelerations)[3])
{
    bodies_tree t;
    pen_status status = pen_bodies_tree_create(count, bodies, cell_most, &t);
    if (status == PEN_OK) {
        memset(accelerations, 0, (size_t)count * sizeof *accelerations);
        for (int32_t i = 0; i < t.count; i++)
            if (t.cells[i].leaf >= 0) attract_leaf(&t, &t.cells[i], 1.0 / count, closeness, accelerations);
        for (int32_t i = 0; i < count; i++)
            for (int k = 0; k < 3; k++) bodies[i].velocity[k] += dt * accelerations[i][k];
    }
    pen_bodies_tree_free(&t);
    return status;
}

pen_status pen_bodies_move(int32_t count, bodies_body *bodies, int32_t cell_most, double closeness, double dt)
{
    double(*accelerations)[3];
    PEN_TRY(PEN_ALLOC(&accelerations, count));
    pen_status status = kick(count, bodies, cell_most, closeness, dt / 2, accelerations);
    for (int32_t i = 0; status == PEN_OK && i < count; i++)
        for (int k = 0; k < 3; k++) bodies[i].place[k] += dt * bodies[i].velocity[k];
    if (status == PEN_OK) status = kick(count, bodies, cell_most, closeness, dt / 2, accelerations);
    free(accelerations);
    return status;
}
