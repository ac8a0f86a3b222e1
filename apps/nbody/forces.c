/* forces.c - computes forces: leaves find their close cells, add up the forces of far cells on their bodies, then those
 * of close leaves. */
#include "apps/nbody/phases.h"

#include <math.h>

/* Two bodies are computed together, the number of doubles in the shortest vectors; the sums are the same as for single
 * bodies. */
typedef double pair __attribute__((vector_size(2 * sizeof(double))));
enum { LANES = 2 };

static inline pair both(double x) { return (pair){ x, x }; }

/* Sources of force: arrays of x, y, z and mass, with `apart` numbers from one array to the next. */
typedef struct sources {
    int64_t count, apart;
    const double *x;
} sources;

/* Add up the forces of sources on LANES bodies; arrays with m numbers from one to the next: x, y, z, and the sums ax,
 * ay, az, potential. */
static void pull_two(sources from, const double *place, double *sums, int64_t m, double softening2)
{
    const double *x = from.x, *y = x + from.apart, *z = y + from.apart, *mass = z + from.apart;
    pair at[3], sum[4];
    for (int d = 0; d < 3; d++) at[d] = (pair){ place[d * m], place[d * m + 1] };
    for (int d = 0; d < 4; d++) sum[d] = (pair){ sums[d * m], sums[d * m + 1] };
    for (int64_t k = 0; k < from.count; k++) {
        pair dx = both(x[k]) - at[0], dy = both(y[k]) - at[1], dz = both(z[k]) - at[2];
        pair square = dx * dx + dy * dy + dz * dz + both(softening2);
        pair r = 1.0 / (pair){ sqrt(square[0]), sqrt(square[1]) }, g = both(mass[k]) * r, pull = g * r * r;
        sum[3] -= g;
        sum[0] += pull * dx;
        sum[1] += pull * dy;
        sum[2] += pull * dz;
    }
    for (int64_t i = 0; i < LANES; i++)
        for (int d = 0; d < 4; d++) sums[d * m + i] = sum[d][i];
}

/* Add up the forces of sources on one body: two sources are computed together, and added one after the other. */
static void pull_one(sources from, const double *place, double *sums, int64_t m, double softening2)
{
    const double *x = from.x, *y = x + from.apart, *z = y + from.apart, *mass = z + from.apart;
    double sum[4];
    for (int d = 0; d < 4; d++) sum[d] = sums[d * m];
    for (int64_t k = 0; k < from.count; k += LANES) {
        int64_t other = k + 1 < from.count ? k + 1 : k;
        pair dx = (pair){ x[k], x[other] } - both(place[0]), dy = (pair){ y[k], y[other] } - both(place[m]),
             dz = (pair){ z[k], z[other] } - both(place[2 * m]);
        pair square = dx * dx + dy * dy + dz * dz + both(softening2);
        pair r = 1.0 / (pair){ sqrt(square[0]), sqrt(square[1]) }, g = (pair){ mass[k], mass[other] } * r,
             pull = g * r * r, ax = pull * dx, ay = pull * dy, az = pull * dz;
        for (int64_t i = 0; i <= other - k; i++) {
            sum[3] -= g[i];
            sum[0] += ax[i];
            sum[1] += ay[i];
            sum[2] += az[i];
        }
    }
    for (int d = 0; d < 4; d++) sums[d * m] = sum[d];
}

static void pull_all(const nbody *s, sources from, const places *p, force *f)
{
    double softening2 = s->softening * s->softening;
    int64_t i = 0;
    for (; i + 1 < p->count; i += LANES) pull_two(from, p->data + i, f->data + i, s->cell_max, softening2);
    if (i < p->count) pull_one(from, p->data + i, f->data + i, s->cell_max, softening2);
}

/* ---- Search for close cells ------------------------------------------------------------------- */

static bool is_leaf(const pen_view *v)
{
    const cell *c = (const cell *)pen_self_record(v, CELL);
    return c->leaf && c->bodies > 0;
}

void pen_nbody_want_open(const pen_view *v, pen_requests *requests)
{
    if (!is_leaf(v)) return;
    const walk *w = (const walk *)pen_self_record(v, WALK);
    for (int64_t i = 0; i < w->count; i++) pen_request(requests, w->open[i]);
}

/* The state of a leaf's search on a level. */
typedef struct looking {
    const nbody *s;
    double delta2;
    const cell *own;
    pen_gid self; /* the leaf, or its ancestor on the level of the visited children; 0: the leaf is above them */
    walk *walk;
    uint64_t *seen;
    double *far; /* [4][room] far cells: arrays of x, y, z, mass */
    size_t room;
    int64_t far_count;
} looking;

/* Bits of the children that are close, computed for two children at a time. */
static int close_children(const looking *l, const branch *b)
{
    typedef int64_t bits __attribute__((vector_size(sizeof(pair))));
    const double *centre = l->own->centre;
    bits close = { 0, 0 }, bit = { 1, 2 };
    for (int j = 0; j < 8; j += LANES, bit <<= LANES) {
        pair dx = (pair){ b->x[j], b->x[j + 1] } - both(centre[0]),
             dy = (pair){ b->y[j], b->y[j + 1] } - both(centre[1]),
             dz = (pair){ b->z[j], b->z[j + 1] } - both(centre[2]), size2 = { b->size2[j], b->size2[j + 1] };
        close |= (size2 >= both(l->delta2) * (dx * dx + dy * dy + dz * dz)) & bit;
    }
    return (int)(close[0] | close[1]);
}

static void visit(looking *l, const branch *b, pen_gid parent)
{
    bool inside = l->self != 0 && pen_cell_parent(l->self) == parent;
    int near = close_children(l, b) | inside << pen_cell_octant(l->self), open = (int)(b->there & near & ~b->leaf);
    walk *w = l->walk;
    for (uint64_t left = (uint64_t)open; left; left &= left - 1) {
        pen_gid child = pen_cell_child(parent, pen_lowest_bit(left));
        if (w->count < l->s->window.most) w->open[w->count++] = child;
    }
    for (uint64_t left = (uint64_t)(b->there & near & b->leaf); left; left &= left - 1) {
        pen_gid child = pen_cell_child(parent, pen_lowest_bit(left));
        if (child == l->self) continue;
        pen_cell_set_add(&l->s->window, l->seen, (int)w->level, pen_cell_columns_above(w->middle, (int)w->level),
                         child);
        w->seen++;
    }
    for (uint64_t left = (uint64_t)(b->there & ~near); left; left &= left - 1) {
        int j = pen_lowest_bit(left);
        const double what[4] = { b->x[j], b->y[j], b->z[j], b->mass[j] };
        for (size_t d = 0; d < 4; d++) l->far[d * l->room + (size_t)l->far_count] = what[d];
        l->far_count++;
    }
}

void pen_nbody_look(const pen_view *v)
{
    const nbody *s = nbody_of(v);
    walk *w = (walk *)pen_next_record(v, WALK);
    if (!is_leaf(v) || w->count == 0) return;
    const places *where = (const places *)pen_self_record(v, PLACES);
    force *f = (force *)pen_next_record(v, FORCE);
    int own_level = pen_cell_level(pen_id(v));
    size_t opened = (size_t)w->count, room = 8 * opened;
    double *far = (double *)pen_scratch_get(v, 4 * room * sizeof *far + opened * sizeof(pen_gid));
    pen_gid *open = (pen_gid *)(void *)(far + 4 * room);
    memcpy(open, w->open, opened * sizeof *open);
    w->level++;
    w->count = 0;
    looking l = { .s = s,
                  .delta2 = s->delta * s->delta,
                  .own = (const cell *)pen_self_record(v, CELL),
                  .self = w->level <= own_level ? pen_cell_above(pen_id(v), own_level, (int)w->level) : 0,
                  .walk = w,
                  .seen = (uint64_t *)pen_next_record(v, SEEN + (int)w->level - 1),
                  .far = far,
                  .room = room };
    for (int32_t k = 0; k < (int32_t)opened; k++) visit(&l, PEN_FAR(v, BRANCH, branch, k), open[k]);
    const sources cells = { l.far_count, (int64_t)room, far };
    pull_all(s, cells, where, f);
    f->far += l.far_count;
}

/* ---- Arcs to close leaves --------------------------------------------------------------------- */

/* Make the leaves that a leaf has seen its neighbours. */
static void connect_leaf(const pen_view *v, pen_changes *changes)
{
    const cell_window *window = &nbody_of(v)->window;
    const walk *w = (const walk *)pen_self_record(v, WALK);
    pen_gid *seen = (pen_gid *)pen_scratch_get(v, ((size_t)w->seen + 1) * sizeof *seen);
    int64_t count = 0;
    for (int level = 1; level <= NBODY_LEVELS && count < w->seen; level++)
        count += pen_cell_set_list(window, (const uint64_t *)pen_self_record(v, SEEN + level - 1), level,
                                   pen_cell_columns_above(w->middle, level), seen + count);
    int32_t i = 0;
    int64_t k = 0;
    while (i < pen_degree(v) || k < count) {
        pen_gid has = i < pen_degree(v) ? pen_neighbor_id(v, i) : INT64_MAX;
        pen_gid wants = k < count ? seen[k] : INT64_MAX;
        if (has < wants) pen_remove_edge(changes, pen_id(v), has);
        if (wants < has) pen_add_edge(changes, pen_id(v), wants, 1);
        i += has <= wants;
        k += wants <= has;
    }
}

/* Remove empty children, or all children of a new leaf; an inner cell drops its other neighbours. */
static void disconnect(const pen_view *v, pen_changes *changes, bool leaf)
{
    for (int32_t i = 0; i < pen_degree(v); i++) {
        pen_gid other = pen_neighbor_id(v, i);
        const cell *c = (const cell *)pen_neighbor_record(v, CELL, i);
        if (pen_cell_parent(other) != pen_id(v)) {
            if (!leaf) pen_remove_edge(changes, pen_id(v), other);
        } else if (leaf || c->bodies == 0) pen_remove_node(changes, other);
    }
}

void pen_nbody_connect(const pen_view *v, pen_changes *changes)
{
    disconnect(v, changes, ((const cell *)pen_self_record(v, CELL))->leaf);
    if (is_leaf(v)) connect_leaf(v, changes);
}

/* ---- Forces of bodies ------------------------------------------------------------------------- */

/* Add the forces of the other bodies of the leaf. */
static void pull_within(const nbody *s, const places *p, force *f)
{
    double softening2 = s->softening * s->softening;
    for (int64_t i = 0; i < p->count; i++) {
        const sources before = { i, s->cell_max, p->data };
        const sources behind = { p->count - i - 1, s->cell_max, p->data + i + 1 };
        pull_one(before, p->data + i, f->data + i, s->cell_max, softening2);
        pull_one(behind, p->data + i, f->data + i, s->cell_max, softening2);
    }
}

/* Gather the bodies of close leaves in one array. */
static sources gather_close(const pen_view *v)
{
    int64_t m = nbody_of(v)->cell_max, room = m * pen_degree(v);
    double *all = (double *)pen_scratch_get(v, (4 * (size_t)room + 1) * sizeof *all);
    sources close = { 0, room, all };
    for (int32_t j = 0; j < pen_degree(v); j++) {
        const places *other = (const places *)pen_neighbor_record(v, PLACES, j);
        for (int d = 0; d < 4; d++)
            for (int64_t i = 0; i < other->count; i++) all[d * room + close.count + i] = other->data[d * m + i];
        close.count += other->count;
    }
    return close;
}

void pen_nbody_pull(const pen_view *v)
{
    if (!is_leaf(v)) return;
    const nbody *s = nbody_of(v);
    int64_t m = s->cell_max;
    const places *p = (const places *)pen_self_record(v, PLACES);
    const double *motion = (const double *)pen_self_record(v, MOTION);
    force *f = (force *)pen_next_record(v, FORCE);
    double *moving = (double *)pen_next_record(v, MOTION);
    double half = pen_step(v) > 0 ? s->dt / 2.0 : 0.0;
    pull_within(s, p, f);
    const sources close = gather_close(v);
    f->close = close.count;
    pull_all(s, close, p, f);
    for (int64_t i = 0; i < p->count; i++) {
        for (int d = 0; d < 3; d++) moving[d * m + i] = motion[d * m + i] + f->data[d * m + i] * half;
        moving[3 * m + i] = motion[3 * m + i];
    }
}
