#include "tests/support/bodies.h"
#include "base/hash.h"
#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* ---- Bodies ----------------------------------------------------------------------------------- */

/* SplitMix64 */
static uint64_t next_word(uint64_t *state)
{
    uint64_t word = pen_mix(*state);
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return word;
}

static double draw(uint64_t *state, double low, double high)
{
    return low + (high - low) * pen_unit_real(next_word(state));
}

static void draw_direction(uint64_t *state, double length, double *vector)
{
    double square;
    do {
        square = 0.0;
        for (int k = 0; k < 3; k++) {
            vector[k] = draw(state, -1.0, 1.0);
            square += vector[k] * vector[k];
        }
    } while (square > 1.0 || square == 0.0);
    for (int k = 0; k < 3; k++) vector[k] *= length / sqrt(square);
}

void bodies_place(int32_t count, uint64_t seed, bodies_body *bodies)
{
    const double apart = 64.0 / (9.0 * 3.14159265358979323846), mass = 0.5;
    for (int32_t i = 0; i < count / 2; i++) {
        double r, x, y;
        do r = 1.0 / sqrt(pow(draw(&seed, 0.0, 1.0), -2.0 / 3.0) - 1.0);
        while (!(r <= 9.0));
        draw_direction(&seed, r, bodies[i].place);
        do {
            x = draw(&seed, 0.0, 1.0);
            y = draw(&seed, 0.0, 0.1);
        } while (y > x * x * pow(1.0 - x * x, 3.5));
        draw_direction(&seed, x * sqrt(2.0 * mass) * pow(1.0 + r * r, -0.25), bodies[i].velocity);
        bodies[i + count / 2] = bodies[i];
        for (int k = 0; k < 3; k++) bodies[i + count / 2].place[k] += apart;
    }
}

/* ---- The tree --------------------------------------------------------------------------------- */

enum { LEVELS = 20 };

typedef struct item {
    uint64_t path; /* three bits a level */
    double place[3];
} item;

typedef struct cell {
    double centre[3], size;
    int32_t bodies, leaf; /* the leaf's number, or -1 */
    int32_t next;         /* behind all that is below it; cells are in depth-first order */
} cell;

typedef struct tree {
    const item *items;
    int32_t cell_most, count, leaves;
    cell *cells;
    int64_t room;
} tree;

static int by_path(const void *a, const void *b)
{
    uint64_t x = ((const item *)a)->path, y = ((const item *)b)->path;
    return (x > y) - (x < y);
}

static item item_of(const bodies_body *body)
{
    item it = { 0 };
    uint64_t steps[3];
    for (int k = 0; k < 3; k++) {
        it.place[k] = body->place[k];
        steps[k] = (uint64_t)((body->place[k] + 32.0) / 64.0 * (double)(1 << LEVELS));
    }
    for (int level = LEVELS - 1; level >= 0; level--)
        for (int k = 0; k < 3; k++) it.path = it.path << 1 | (steps[k] >> level & 1);
    return it;
}

/* Add the cell of bodies [first, end), which agree in `level` steps, and all below it. */
static pen_status add_cell(tree *t, int32_t first, int32_t end, int level)
{
    PEN_TRY(pen_reserve(&t->cells, sizeof *t->cells, t->count + 1, &t->room));
    int32_t number = t->count++;
    cell c = { .bodies = end - first, .leaf = -1 };
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

/* ---- The graph -------------------------------------------------------------------------------- */

typedef struct arc {
    int32_t from, to; /* leaves */
    double reads, feeds;
} arc;

static int by_ends(const void *a, const void *b)
{
    const arc *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static bool is_close(const cell *w, const cell *v, double closeness)
{
    double square = 0.0;
    for (int k = 0; k < 3; k++) square += (v->centre[k] - w->centre[k]) * (v->centre[k] - w->centre[k]);
    return w->size >= closeness * sqrt(square);
}

/* A pair of arcs for each close leaf of each leaf, and what the leaves weigh. */
static pen_status find_close(const tree *t, double closeness, bodies_graph *g, arc **arcs, int64_t *count)
{
    int64_t room = 0;
    for (int32_t i = 0; i < t->count; i++) {
        const cell *v = &t->cells[i];
        if (v->leaf < 0) continue;
        double close = 0.0, far = 0.0, bodies = v->bodies;
        for (int32_t j = 0; j < t->count;) {
            const cell *w = &t->cells[j];
            if (!is_close(w, v, closeness) && w != v) {
                far += 1.0;
                j = w->next;
                continue;
            }
            j++;
            if (w->leaf < 0 || w == v) continue;
            close += w->bodies;
            PEN_TRY(pen_reserve(arcs, sizeof **arcs, *count + 2, &room));
            (*arcs)[(*count)++] = (arc){ v->leaf, w->leaf, w->bodies, 0.0 };
            (*arcs)[(*count)++] = (arc){ w->leaf, v->leaf, 0.0, w->bodies };
        }
        g->work[v->leaf] = bodies * (bodies - 1.0 + close + far + 2.0);
        g->size[v->leaf] = bodies;
    }
    return PEN_OK;
}

/* Arcs of the same ends become one. */
static pen_status make_rows(arc *arcs, int64_t count, bodies_graph *g)
{
    PEN_TRY(PEN_ALLOC_ZERO(&g->rows, g->count + 1));
    PEN_TRY(PEN_ALLOC(&g->columns, count));
    PEN_TRY(PEN_ALLOC(&g->reads, count));
    PEN_TRY(PEN_ALLOC(&g->feeds, count));
    if (count > 0) qsort(arcs, (size_t)count, sizeof *arcs, by_ends);
    int64_t used = 0;
    for (int64_t k = 0; k < count; k++) {
        if (k > 0 && by_ends(&arcs[k - 1], &arcs[k]) == 0) {
            g->reads[used - 1] += arcs[k].reads;
            g->feeds[used - 1] += arcs[k].feeds;
            continue;
        }
        g->columns[used] = arcs[k].to;
        g->reads[used] = arcs[k].reads;
        g->feeds[used++] = arcs[k].feeds;
        g->rows[arcs[k].from + 1]++;
    }
    for (int32_t v = 0; v < g->count; v++) g->rows[v + 1] += g->rows[v];
    return PEN_OK;
}

static pen_status make_graph(const tree *t, double closeness, bodies_graph *g)
{
    arc *arcs = NULL;
    int64_t count = 0;
    g->count = t->leaves;
    PEN_TRY(PEN_ALLOC(&g->work, g->count));
    PEN_TRY(PEN_ALLOC(&g->size, g->count));
    PEN_TRY(PEN_ALLOC(&g->owners, g->count));
    for (int32_t v = 0; v < g->count; v++) g->owners[v] = -1;
    pen_status status = find_close(t, closeness, g, &arcs, &count);
    if (status == PEN_OK) status = make_rows(arcs, count, g);
    free(arcs);
    return status;
}

pen_status bodies_graph_of(int32_t count, const bodies_body *bodies, int32_t cell_most, double closeness,
                           bodies_graph *graph)
{
    item *items;
    *graph = (bodies_graph){ 0 };
    PEN_TRY(PEN_ALLOC(&items, count));
    for (int32_t i = 0; i < count; i++) items[i] = item_of(&bodies[i]);
    qsort(items, (size_t)count, sizeof *items, by_path);
    tree t = { .items = items, .cell_most = cell_most };
    pen_status status = add_cell(&t, 0, count, 0);
    if (status == PEN_OK) status = make_graph(&t, closeness, graph);
    if (status != PEN_OK) bodies_graph_free(graph);
    PEN_FREE_ALL(items, t.cells);
    return status;
}

pen_status bodies_graph_create(int32_t count, uint64_t seed, bodies_graph *graph)
{
    bodies_body *bodies;
    bool many = count > 65536;
    PEN_TRY(PEN_ALLOC(&bodies, count));
    bodies_place(count, seed, bodies);
    pen_status status = bodies_graph_of(count, bodies, many ? 64 : 12, many ? 0.93 : 0.72, graph);
    free(bodies);
    return status;
}

void bodies_graph_mutual(bodies_graph *g)
{
    for (int32_t v = 0; v < g->count; v++)
        for (int64_t k = g->rows[v]; k < g->rows[v + 1]; k++)
            g->reads[k] = g->feeds[k] = fmax(g->size[v], g->size[g->columns[k]]);
}

pen_minex_graph bodies_graph_view(const bodies_graph *g)
{
    return (pen_minex_graph){ .count = g->count,
                              .rows = g->rows,
                              .columns = g->columns,
                              .work = g->work,
                              .size = g->size,
                              .reads = g->reads,
                              .feeds = g->feeds,
                              .owners = g->owners };
}

void bodies_graph_free(bodies_graph *g)
{
    PEN_FREE_ALL(g->rows, g->columns, g->work, g->size, g->reads, g->feeds, g->owners);
    *g = (bodies_graph){ 0 };
}
