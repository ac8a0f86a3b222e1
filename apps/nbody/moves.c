/* moves.c - bodies move to other leaves, which are split if they have too many. */
#include "apps/nbody/phases.h"

#include <stdlib.h>

void pen_nbody_drift(const pen_view *v)
{
    const nbody *s = nbody_of(v);
    int64_t m = s->cell_max;
    double dt = pen_step(v) > 0 ? s->dt : 0.0, half = dt / 2.0;
    const places *was = (const places *)pen_self_record(v, PLACES);
    const double *motion = (const double *)pen_self_record(v, MOTION);
    const force *pull = (const force *)pen_self_record(v, FORCE);
    places *next = (places *)pen_next_record(v, PLACES);
    double *moving = (double *)pen_next_record(v, MOTION);
    route *way = (route *)pen_next_record(v, ROUTE);
    pen_gid self = pen_id(v);
    int level = pen_cell_level(self);
    pen_nbody_set_count(s, next, was->count);
    way->leaving = way->pending = 0;
    for (int64_t i = 0; i < was->count; i++) {
        double place[3];
        for (int d = 0; d < 3; d++) {
            moving[d * m + i] = motion[d * m + i] + pull->data[d * m + i] * half;
            next->data[d * m + i] = place[d] = was->data[d * m + i] + moving[d * m + i] * dt;
        }
        moving[3 * m + i] = motion[3 * m + i];
        next->data[3 * m + i] = was->data[3 * m + i];
        pen_gid deepest = pen_cell_deepest(place, s->half), above = self;
        for (int l = level; pen_cell_above(deepest, NBODY_LEVELS, l) != above; l--) above = pen_cell_parent(above);
        way->to[i] = above == self ? self : ~above;
        way->leaving += above != self;
    }
    way->pending = way->leaving;
}

static pen_gid deepest_of(const pen_view *v, int64_t i)
{
    const nbody *s = nbody_of(v);
    const double *x = ((const places *)pen_self_record(v, PLACES))->data + i;
    const double place[3] = { x[0], x[s->cell_max], x[2 * s->cell_max] };
    return pen_cell_deepest(place, s->half);
}

void pen_nbody_look_down(const pen_view *v, pen_requests *requests)
{
    const route *way = (const route *)pen_self_record(v, ROUTE);
    int64_t count = way->pending > 0 ? ((const places *)pen_self_record(v, PLACES))->count : 0;
    for (int64_t i = 0; i < count; i++)
        if (way->to[i] < 0) pen_request(requests, ~way->to[i]);
}

void pen_nbody_hop(const pen_view *v)
{
    const route *way = (const route *)pen_self_record(v, ROUTE);
    route *next = (route *)pen_next_record(v, ROUTE);
    int64_t count = ((const places *)pen_self_record(v, PLACES))->count;
    next->leaving = way->leaving;
    next->pending = 0;
    int32_t wish = 0;
    for (int64_t i = 0; i < count; i++) {
        next->to[i] = way->to[i];
        if (way->to[i] >= 0) continue;
        pen_gid at = ~way->to[i];
        const branch *there = PEN_FAR(v, BRANCH, branch, wish++);
        pen_gid child = pen_cell_above(deepest_of(v, i), NBODY_LEVELS, pen_cell_level(at) + 1);
        int bit = 1 << pen_cell_octant(child);
        if (!(there->there & bit)) {
            next->to[i] = at;
        } else if (there->leaf & bit) {
            next->to[i] = child;
        } else {
            next->to[i] = ~child;
            next->pending++;
        }
    }
}

/* Let a node that receives bodies read the nodes that had them. */
void pen_nbody_call(const pen_view *v, pen_changes *changes)
{
    const route *way = (const route *)pen_self_record(v, ROUTE);
    int64_t count = way->leaving > 0 ? ((const places *)pen_self_record(v, PLACES))->count : 0;
    for (int64_t i = 0; i < count; i++)
        if (way->to[i] != pen_id(v)) pen_add_edge(changes, way->to[i], pen_id(v), 1);
}

/* Collect the bodies of one leaf that now belong to this node; with list == NULL only count them. */
static int64_t take_arrivals(const pen_view *v, const void *where, const void *motion, const void *way,
                             nbody_body *list)
{
    const nbody *s = nbody_of(v);
    const route *r = (const route *)way;
    int64_t count = ((const places *)where)->count, taken = 0;
    for (int64_t i = 0; i < count; i++) {
        if (r->to[i] != pen_id(v)) continue;
        if (list) {
            list[taken] = pen_nbody_take(s, where, motion, i);
            list[taken].deepest = pen_cell_deepest(list[taken].body.place, s->half);
        }
        taken++;
    }
    return taken;
}

static int64_t gather(const pen_view *v, nbody_body *list)
{
    int64_t count = take_arrivals(v, pen_self_record(v, PLACES), pen_self_record(v, MOTION), pen_self_record(v, ROUTE),
                                  list);
    for (int32_t i = 0; i < pen_degree(v); i++) {
        const route *way = (const route *)pen_neighbor_record(v, ROUTE, i);
        if (way->leaving == 0) continue;
        count += take_arrivals(v, pen_neighbor_record(v, PLACES, i), pen_neighbor_record(v, MOTION, i), way,
                               list ? list + count : NULL);
    }
    return count;
}

/* Write the first records of a leaf or an inner cell, with the bodies of the list that are in it. */
static void write_cell(const nbody *s, pen_gid gid, const nbody_body *list, int64_t count, void *where, void *motion,
                       cell *c)
{
    *c = (cell){ .leaf = count <= s->cell_max || pen_cell_level(gid) == NBODY_LEVELS, .turn = NBODY_LEVELS - 1 };
    int64_t kept = count;
    if (count > s->cell_max) kept = c->leaf ? s->cell_max : 0;
    if (c->leaf && count > kept) c->crowded = 1 + list[kept].number;
    pen_nbody_put(s, list, kept, where, motion);
    if (!c->leaf) return;
    pen_nbody_weigh(list, kept, c);
    c->leaves = 1;
    c->below[0] = gid;
}

/* Add the children of a cell that have bodies of the list, and all cells below them. */
static void grow(const nbody *s, pen_changes *changes, pen_gid parent, int level, nbody_body *list, int64_t count)
{
    for (int64_t i = 0, after; i < count; i = after) {
        pen_gid gid = pen_cell_above(list[i].deepest, NBODY_LEVELS, level + 1);
        for (after = i; after < count && pen_cell_above(list[after].deepest, NBODY_LEVELS, level + 1) == gid;) after++;
        pen_new_node *newborn = pen_add_node(changes, gid, 1);
        double middle[3];
        pen_cell_middle(gid, s->half, middle);
        pen_set_coordinates(newborn, 3, middle);
        pen_add_edge(changes, parent, gid, 1);
        cell *c = (cell *)pen_first_record(newborn, CELL);
        bool whole = after - i <= s->cell_max || level + 1 == NBODY_LEVELS;
        if (whole) pen_nbody_sort(list + i, after - i);
        write_cell(s, gid, list + i, after - i, pen_first_record(newborn, PLACES), pen_first_record(newborn, MOTION),
                   c);
        if (!whole) grow(s, changes, gid, level + 1, list + i, after - i);
    }
}

static int by_cell(const void *a, const void *b)
{
    const nbody_body *x = (const nbody_body *)a, *y = (const nbody_body *)b;
    return (x->deepest > y->deepest) - (x->deepest < y->deepest);
}

void pen_nbody_settle(const pen_view *v, pen_changes *changes)
{
    const nbody *s = nbody_of(v);
    const cell *was = (const cell *)pen_self_record(v, CELL);
    cell *next = (cell *)pen_next_record(v, CELL);
    places *where = (places *)pen_next_record(v, PLACES);
    double *motion = (double *)pen_next_record(v, MOTION);
    int64_t count = gather(v, NULL);
    nbody_body *list = (nbody_body *)pen_scratch_get(v, ((size_t)count + 1) * sizeof *list);
    gather(v, list);
    *next = (cell){ .leaf = 0, .turn = NBODY_LEVELS - 1 };
    pen_nbody_set_count(s, where, 0);
    if (was->leaf) {
        pen_nbody_sort(list, count);
        write_cell(s, pen_id(v), list, count, where, motion, next);
    }
    if (next->leaf) return;
    qsort(list, (size_t)count, sizeof *list, by_cell);
    grow(s, changes, pen_id(v), pen_cell_level(pen_id(v)), list, count);
}
