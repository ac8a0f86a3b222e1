/* tree.c - builds the octree of the initial bodies. */
#include "apps/nbody/tree.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static const char *const NO_MEMORY = "no memory for the bodies' tree";

static int by_cell(const void *a, const void *b)
{
    const tree_item *x = (const tree_item *)a, *y = (const tree_item *)b;
    if (x->deepest != y->deepest) return x->deepest < y->deepest ? -1 : 1;
    return (x->body > y->body) - (x->body < y->body);
}

static int by_body(const void *a, const void *b)
{
    const tree_item *x = (const tree_item *)a, *y = (const tree_item *)b;
    return (x->body > y->body) - (x->body < y->body);
}

static double size2_of(const bodies_set *set, const tree_item *items, int64_t count)
{
    double low[3] = { DBL_MAX, DBL_MAX, DBL_MAX }, high[3] = { -DBL_MAX, -DBL_MAX, -DBL_MAX }, size2 = 0.0;
    for (int64_t i = 0; i < count; i++)
        for (int d = 0; d < 3; d++) {
            low[d] = fmin(low[d], set->bodies[items[i].body].place[d]);
            high[d] = fmax(high[d], set->bodies[items[i].body].place[d]);
        }
    for (int d = 0; d < 3; d++) size2 += (high[d] - low[d]) * (high[d] - low[d]);
    return size2;
}

static void add_mass(tree_cell *cell, double mass, const double *place)
{
    cell->mass += mass;
    for (int d = 0; d < 3; d++) cell->centre[d] += mass * place[d];
}

/* Compute the sums of a cell in the order of nbody.h, to the bit: a leaf's bodies by their numbers, children one after
 * the other. */
static void weigh(nbody_tree *t, const bodies_set *set, tree_cell *cell)
{
    tree_item *items = t->items + cell->first;
    cell->size2 = size2_of(set, items, cell->bodies);
    if (cell->leaf) qsort(items, (size_t)cell->bodies, sizeof *items, by_body);
    for (int64_t i = 0; cell->leaf && i < cell->bodies; i++)
        add_mass(cell, set->bodies[items[i].body].mass, set->bodies[items[i].body].place);
    for (const tree_cell *child = cell + 1; !cell->leaf && child < t->cells + cell->next;
         child = t->cells + child->next)
        add_mass(cell, child->mass, child->centre);
    for (int d = 0; d < 3; d++) cell->centre[d] /= cell->mass;
}

static const char *say_crowded(const nbody_tree *t, int64_t first, int64_t end, int64_t cell_max)
{
    static char message[240];
    int used = snprintf(message, sizeof message,
                        "%" PRId64 " bodies are so close together that no leaf has %" PRId64 " or fewer of them: ",
                        end - first, cell_max);
    for (int64_t i = first; i < end && i < first + 4; i++)
        used += snprintf(message + used, sizeof message - (size_t)used, "%s%" PRId64, i > first ? ", " : "",
                         t->items[i].body);
    snprintf(message + used, sizeof message - (size_t)used, "%s; --cell-max allows more in a leaf",
             end - first > 4 ? ", ..." : "");
    return message;
}

static const char *add_cell(nbody_tree *t, const bodies_set *set, int64_t first, int64_t end, int level,
                            int64_t cell_max)
{
    if (t->count == t->room) {
        int64_t room = t->room ? 2 * t->room : 1024;
        tree_cell *more = (tree_cell *)realloc(t->cells, (size_t)room * sizeof *more);
        if (!more) return NO_MEMORY;
        t->cells = more;
        t->room = room;
    }
    int64_t place = t->count++;
    tree_cell cell = { .gid = pen_cell_above(t->items[first].deepest, NBODY_LEVELS, level),
                       .first = first,
                       .bodies = end - first,
                       .leaf = end - first <= cell_max };
    if (!cell.leaf && level == NBODY_LEVELS) return say_crowded(t, first, end, cell_max);
    t->cells[place] = cell;
    for (int64_t i = first, after; !cell.leaf && i < end; i = after) {
        pen_gid child = pen_cell_above(t->items[i].deepest, NBODY_LEVELS, level + 1);
        for (after = i; after < end && pen_cell_above(t->items[after].deepest, NBODY_LEVELS, level + 1) == child;)
            after++;
        const char *wrong = add_cell(t, set, i, after, level + 1, cell_max);
        if (wrong) return wrong;
    }
    t->cells[place].next = t->count;
    weigh(t, set, &t->cells[place]);
    return NULL;
}

const char *pen_tree_create(const bodies_set *set, double half, int64_t cell_max, nbody_tree *tree)
{
    *tree = (nbody_tree){ .items = (tree_item *)malloc((size_t)set->count * sizeof *tree->items) };
    if (!tree->items) return NO_MEMORY;
    for (int64_t i = 0; i < set->count; i++)
        tree->items[i] = (tree_item){ pen_cell_deepest(set->bodies[i].place, half), i };
    qsort(tree->items, (size_t)set->count, sizeof *tree->items, by_cell);
    return add_cell(tree, set, 0, set->count, 0, cell_max);
}

void pen_tree_free(nbody_tree *tree)
{
    free(tree->items);
    free(tree->cells);
    *tree = (nbody_tree){ .items = NULL };
}

const tree_cell *pen_tree_find(const nbody_tree *t, pen_gid gid)
{
    int level = pen_cell_level(gid);
    for (int64_t i = 0, above = 0; i < t->count && above <= level;) {
        const tree_cell *cell = &t->cells[i];
        if (cell->gid == gid) return cell;
        bool inside = pen_cell_above(gid, level, (int)above) == cell->gid;
        i = inside ? i + 1 : cell->next;
        above += inside;
    }
    return NULL;
}

static bool is_close(const tree_cell *w, const tree_cell *v, double delta)
{
    double d2 = 0.0;
    for (int d = 0; d < 3; d++) d2 += (w->centre[d] - v->centre[d]) * (w->centre[d] - v->centre[d]);
    bool inside = v->first >= w->first && v->first < w->first + w->bodies;
    return inside || w->size2 >= delta * delta * d2;
}

int64_t pen_tree_look(const nbody_tree *t, const tree_cell *leaf, double delta, int64_t *far, int64_t *close,
                      pen_gid *gids)
{
    int64_t found = 0;
    *far = *close = 0;
    for (int64_t i = 0; i < t->count;) {
        const tree_cell *w = &t->cells[i];
        bool near = is_close(w, leaf, delta);
        *far += !near;
        if (near && w->leaf && w != leaf) {
            gids[found++] = w->gid;
            *close += w->bodies;
        }
        i = near ? i + 1 : w->next;
    }
    return found;
}
