/* records.h - the records of nodes in an N-body run. Arrays have cell_max numbers each (M in these comments), and are
 * contiguous. */
#pragma once

#include "apps/nbody/settings.h"

#include <penumbra.h>

/* SEEN stands for NBODY_LEVELS fields, one for each level from 1 on. */
enum { PLACES, MOTION, ROUTE, FORCE, CELL, BRANCH, WALK, SEEN, NBODY_FIELDS = SEEN + NBODY_LEVELS };

/* PLACES: the bodies of a leaf; an inner cell has none. Files of results contain the data, which are 0 after the last
 * body. */
typedef struct places {
    int64_t count;
    double data[]; /* x[M], y[M], z[M], mass[M] */
} places;

/* MOTION: vx[M], vy[M], vz[M], number[M]: a number below 2^53 is a double. */

/* ROUTE: the cells of the bodies after they moved. */
typedef struct route {
    int64_t leaving; /* bodies outside this leaf */
    int64_t pending; /* bodies whose leaf is not found yet: `to` is ~(an inner cell that contains them) */
    pen_gid to[];    /* [M] the leaf, or a cell without a child at the body's place */
} route;

/* FORCE: on the leaf's bodies. */
typedef struct force {
    int64_t far, close; /* cells, and bodies of other leaves, that they see */
    double data[];      /* ax[M], ay[M], az[M], potential[M] */
} force;

/* CELL */
typedef struct cell {
    int64_t leaf;    /* 1 or 0 */
    int64_t turn;    /* the level whose cells are summed up next, equal in all cells */
    int64_t crowded; /* 1 + the number of the body that does not fit on the deepest level; 0: all fit */
    int64_t bodies;
    double mass, centre[3], low[3], high[3];
    int64_t leaves;  /* below the cell, or itself if it is a leaf; only if bodies <= M */
    pen_gid below[]; /* [M] */
} cell;

/* BRANCH: the children of a cell after this step. */
typedef struct branch {
    int64_t there, leaf; /* bits */
    double x[8], y[8], z[8], mass[8], size2[8];
} branch;

/* WALK: the cells of a level whose children a leaf must visit. */
typedef struct walk {
    int64_t level;
    int64_t seen;        /* close leaves up to this level */
    cell_columns middle; /* of the leaf's centre, on the deepest level */
    int64_t count;
    pen_gid open[]; /* [count] ascending; at most window.most */
} walk;

/* SEEN + level - 1: a set of close leaves of that level. */

/* ---- All Local -------------------------------------------------------------------------------- */

static inline const nbody *nbody_of(const pen_view *v) { return (const nbody *)pen_params(v); }

typedef struct nbody_body {
    int64_t number;
    pen_gid deepest; /* its cell of the deepest level, if needed */
    bodies_body body;
} nbody_body;

/* Sort by number. */
void pen_nbody_sort(nbody_body *list, int64_t count);

/* The i-th body of records PLACES and MOTION; `deepest` is 0. */
nbody_body pen_nbody_take(const nbody *s, const void *where, const void *motion, int64_t i);

/* Write these records of count <= cell_max bodies. */
void pen_nbody_put(const nbody *s, const nbody_body *list, int64_t count, void *where, void *motion);

/* Set the number of bodies; the data after them become 0. */
void pen_nbody_set_count(const nbody *s, places *p, int64_t count);

/* The k-th of the gathered PLACES, and their total number of bodies, limited since a checkpoint may be forged. */
const places *pen_nbody_places(const nbody *s, const pen_records *where, int64_t k);
int64_t pen_nbody_count(const nbody *s, const pen_records *where);

/* Set bodies, mass, centre and box of a leaf with these bodies; or of a cell without bodies. */
void pen_nbody_weigh(const nbody_body *list, int64_t count, cell *c);
void pen_nbody_weigh_nothing(cell *c);

/* The square of a box's diagonal. */
double pen_nbody_size2(const cell *c);

/* The interactions of a leaf's step, PWgt of the paper: each body with the other bodies of its leaf and of close
 * leaves, with far cells, and 2 for its motion. */
static inline int64_t pen_nbody_interactions(int64_t bodies, int64_t close, int64_t far)
{
    return bodies * (bodies - 1 + close + far + 2);
}
