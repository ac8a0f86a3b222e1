/* sums.c - adds up cells from their children, level by level; cells with few bodies become leaves. */
#include "apps/nbody/phases.h"

#include <math.h>

/* The i-th neighbour if it is a child with bodies, or NULL. */
static const cell *child_of(const pen_view *v, int32_t i)
{
    const cell *c = (const cell *)pen_neighbor_record(v, CELL, i);
    return pen_cell_parent(pen_neighbor_id(v, i)) == pen_id(v) && c->bodies > 0 ? c : NULL;
}

static int64_t count_bodies(const pen_view *v)
{
    int64_t bodies = 0;
    for (int32_t i = 0; i < pen_degree(v); i++) {
        const cell *c = child_of(v, i);
        if (c) bodies += c->bodies;
    }
    return bodies;
}

static bool is_its_turn(const pen_view *v)
{
    const cell *c = (const cell *)pen_self_record(v, CELL);
    return !c->leaf && c->turn == pen_cell_level(pen_id(v));
}

/* Let a cell that will become a leaf request the leaves below it: its sums are those of the bodies. */
void pen_nbody_want_small(const pen_view *v, pen_requests *requests)
{
    if (!is_its_turn(v) || count_bodies(v) > nbody_of(v)->cell_max) return;
    for (int32_t i = 0; i < pen_degree(v); i++) {
        const cell *c = child_of(v, i);
        for (int64_t k = 0; c && k < c->leaves; k++) pen_request(requests, c->below[k]);
    }
}

/* Collect the bodies of the requested leaves, in the order of their numbers. */
static int64_t take_wanted(const pen_view *v, nbody_body *list)
{
    int64_t count = 0;
    for (int32_t k = 0; k < pen_far_count(v); k++) {
        const places *where = PEN_FAR(v, PLACES, places, k);
        for (int64_t i = 0; i < where->count; i++)
            list[count++] = pen_nbody_take(nbody_of(v), where, pen_far_record(v, MOTION, k), i);
    }
    pen_nbody_sort(list, count);
    return count;
}

static void add_children(const pen_view *v, cell *c)
{
    pen_nbody_weigh_nothing(c);
    for (int32_t i = 0; i < pen_degree(v); i++) {
        const cell *child = child_of(v, i);
        if (!child) continue;
        c->bodies += child->bodies;
        c->mass += child->mass;
        for (int d = 0; d < 3; d++) {
            c->centre[d] += child->mass * child->centre[d];
            c->low[d] = fmin(c->low[d], child->low[d]);
            c->high[d] = fmax(c->high[d], child->high[d]);
        }
    }
    for (int d = 0; d < 3 && c->bodies > 0; d++) c->centre[d] /= c->mass;
}

static void add_leaves(const pen_view *v, cell *c)
{
    const nbody *s = nbody_of(v);
    nbody_body *list = (nbody_body *)pen_scratch_get(v, (size_t)s->cell_max * sizeof *list);
    for (int32_t k = 0; k < pen_far_count(v); k++) c->below[c->leaves++] = pen_far_id(v, k);
    pen_nbody_weigh(list, take_wanted(v, list), c);
}

static int64_t crowded_below(const pen_view *v)
{
    int64_t crowded = 0;
    for (int32_t i = 0; i < pen_degree(v); i++) {
        const cell *c = child_of(v, i);
        if (c && c->crowded > crowded) crowded = c->crowded;
    }
    return crowded;
}

static void keep_cell(const cell *was, cell *next)
{
    *next = *was;
    for (int64_t i = 0; i < was->leaves; i++) next->below[i] = was->below[i];
}

void pen_nbody_sum(const pen_view *v)
{
    const cell *was = (const cell *)pen_self_record(v, CELL);
    cell *next = (cell *)pen_next_record(v, CELL);
    keep_cell(was, next);
    if (is_its_turn(v)) next->crowded = crowded_below(v);
    if (is_its_turn(v) && pen_far_count(v) > 0) add_leaves(v, next);
    else if (is_its_turn(v)) add_children(v, next);
    next->turn--;
}

static void write_branch(const pen_view *v, branch *b)
{
    b->there = b->leaf = 0;
    for (int32_t i = 0; i < pen_degree(v); i++) {
        const cell *c = child_of(v, i);
        if (!c) continue;
        int j = pen_cell_octant(pen_neighbor_id(v, i));
        bool leaf = c->leaf || c->bodies <= nbody_of(v)->cell_max;
        b->there |= INT64_C(1) << j;
        b->leaf |= (int64_t)leaf << j;
        b->mass[j] = c->mass;
        b->size2[j] = pen_nbody_size2(c);
        b->x[j] = c->centre[0];
        b->y[j] = c->centre[1];
        b->z[j] = c->centre[2];
    }
}

void pen_nbody_want_below(const pen_view *v, pen_requests *requests)
{
    const cell *c = (const cell *)pen_self_record(v, CELL);
    for (int64_t i = 0; !c->leaf && i < c->leaves; i++) pen_request(requests, c->below[i]);
}

/* Begin the search for close cells at the root. */
static void start_walk(const pen_view *v, const cell *own)
{
    const nbody *s = nbody_of(v);
    walk *w = (walk *)pen_next_record(v, WALK);
    force *f = (force *)pen_next_record(v, FORCE);
    w->level = w->seen = 0;
    w->middle = pen_cell_columns(own->centre, s->half);
    w->count = pen_id(v) != CELL_ROOT;
    w->open[0] = CELL_ROOT;
    for (int level = 0; level < NBODY_LEVELS; level++)
        memset(pen_next_record(v, SEEN + level), 0, (size_t)s->window.words * sizeof(uint64_t));
    f->far = f->close = 0;
    memset(f->data, 0, 4 * (size_t)s->cell_max * sizeof *f->data);
}

void pen_nbody_merge(const pen_view *v)
{
    const nbody *s = nbody_of(v);
    cell *next = (cell *)pen_next_record(v, CELL);
    keep_cell((const cell *)pen_self_record(v, CELL), next);
    write_branch(v, (branch *)pen_next_record(v, BRANCH));
    if (pen_far_count(v) == 0) {
        pen_keep(v, PLACES);
        pen_keep(v, MOTION);
        if (next->leaf && next->bodies > 0) start_walk(v, next);
        return;
    }
    nbody_body *list = (nbody_body *)pen_scratch_get(v, (size_t)s->cell_max * sizeof *list);
    int64_t count = take_wanted(v, list);
    pen_nbody_put(s, list, count, pen_next_record(v, PLACES), pen_next_record(v, MOTION));
    next->leaf = 1;
    start_walk(v, next);
}
