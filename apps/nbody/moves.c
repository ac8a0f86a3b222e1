/* moves.c - bodies move to other leaves, which are split if they have too many. */
#include "apps/nbody/phases.h"

#include <stdlib.h>

/* The first cell above the body's old leaf, or the leaf itself, that contains the body. */
static pen_gid cell_around(pen_gid leaf, const nbody_body *body)
{
    int level = pen_cell_level(leaf);
    while (pen_cell_above(body->deepest, NBODY_LEVELS, level) != leaf) {
        leaf = pen_cell_parent(leaf);
        level--;
    }
    return leaf;
}

void pen_nbody_drift(const pen_view *v)
{
    const nbody *s = nbody_of(v);
    int64_t m = s->cell_max, staying = 0;
    double dt = pen_step(v) > 0 ? s->dt : 0.0, half = dt / 2.0;
    const places *was = (const places *)pen_self_record(v, PLACES);
    const force *pull = (const force *)pen_self_record(v, FORCE);
    nbody_body *list = (nbody_body *)pen_scratch_get(v, ((size_t)was->count + 1) * sizeof *list);
    for (int64_t i = 0; i < was->count; i++) {
        nbody_body body = pen_nbody_take(s, was, pen_self_record(v, MOTION), i);
        for (int d = 0; d < 3; d++) {
            body.body.velocity[d] += pull->data[d * m + i] * half;
            body.body.place[d] += body.body.velocity[d] * dt;
        }
        body.deepest = pen_cell_deepest(body.body.place, s->half);
        pen_gid goal = cell_around(pen_id(v), &body);
        if (goal == pen_id(v)) list[staying++] = body;
        else *PEN_SEND(v, MOVING, nbody_body, goal) = body;
    }
    pen_nbody_put(s, list, staying, pen_next_record(v, PLACES), pen_next_record(v, MOTION));
}

void pen_nbody_hop(const pen_view *v)
{
    const branch *children = (const branch *)pen_self_record(v, BRANCH);
    const int64_t count = pen_mail_count(v, MOVING);
    for (int64_t i = 0; i < count; i++) {
        const nbody_body *body = PEN_MAIL(v, MOVING, nbody_body, i);
        pen_gid child = pen_cell_above(body->deepest, NBODY_LEVELS, pen_cell_level(pen_id(v)) + 1);
        int bit = 1 << pen_cell_octant(child);
        if (!(children->there & bit)) *PEN_SEND(v, ARRIVED, nbody_body, pen_id(v)) = *body;
        else if (children->leaf & bit) *PEN_SEND(v, ARRIVED, nbody_body, child) = *body;
        else *PEN_SEND(v, MOVING, nbody_body, child) = *body;
    }
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
    const places *staying = (const places *)pen_self_record(v, PLACES);
    const int64_t arrived = pen_mail_count(v, ARRIVED), count = staying->count + arrived;
    nbody_body *list = (nbody_body *)pen_scratch_get(v, ((size_t)count + 1) * sizeof *list);
    for (int64_t i = 0; i < staying->count; i++) {
        list[i] = pen_nbody_take(s, staying, pen_self_record(v, MOTION), i);
        list[i].deepest = pen_cell_deepest(list[i].body.place, s->half);
    }
    for (int64_t i = 0; i < arrived; i++) list[staying->count + i] = *PEN_MAIL(v, ARRIVED, nbody_body, i);
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
