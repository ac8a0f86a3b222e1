/* records.h - the records of nodes in an N-body run. Arrays have cell_max numbers each (M in these comments), and are
 * contiguous. */
#pragma once

#include "apps/nbody/settings.h"

#include <penumbra.h>

/* The fields. MOTION has arrays of doubles: vx[M], vy[M], vz[M] and number[M], the numbers of the bodies, below 2^53.
 * SEEN + level - 1 has a set of close leaves of that level, 1..NBODY_LEVELS. The other fields have the structures
 * below. */
enum { PLACES, MOTION, FORCE, CELL, BRANCH, WALK, SEEN, NBODY_FIELDS = SEEN + NBODY_LEVELS };

/* Field PLACES: the bodies of a leaf; an inner cell has none. Files of results contain the data, which are 0 after the
 * last body. */
typedef struct places {
    int64_t count;
    double data[]; /* arrays x[M], y[M], z[M] of places, and mass[M] */
} places;

/* Field FORCE: the forces on the leaf's bodies. */
typedef struct force {
    int64_t far, close; /* numbers of far cells, and of bodies of other leaves, that act on the bodies */
    double data[];      /* arrays ax[M], ay[M], az[M] of accelerations, and potential[M] */
} force;

/* Field CELL: the sums over a cell. */
typedef struct cell {
    int64_t leaf;    /* whether the cell is a leaf, 1 or 0 */
    int64_t turn;    /* the level whose cells are summed up next, equal in all cells */
    int64_t crowded; /* 1 + the number of a body that does not fit on the deepest level; 0: all bodies fit */
    int64_t bodies;
    double mass, centre[3], low[3], high[3];
    int64_t leaves;  /* number of leaves below the cell, or 1 for a leaf itself; only if bodies <= M */
    pen_gid below[]; /* [M] gids of the leaves below the cell */
} cell;

/* Field BRANCH: the children of a cell after this step. */
typedef struct branch {
    int64_t there, leaf; /* bit sets of the children that exist, and of those that are leaves */
    double x[8], y[8], z[8], mass[8], size2[8];
} branch;

/* Field WALK: the cells of a level whose children a leaf must visit. */
typedef struct walk {
    int64_t level;
    int64_t seen;        /* number of close leaves up to this level */
    cell_columns middle; /* columns of the leaf's centre on the deepest level */
    int64_t count;
    pen_gid open[]; /* [count] gids of the cells, ascending; at most window.most */
} walk;

/* ---- Functions, all Local --------------------------------------------------------------------- */

static inline const nbody *nbody_of(const pen_view *v) { return (const nbody *)pen_params(v); }

/* A body of a leaf, and the message of both kinds of mail. */
typedef struct nbody_body {
    int64_t number;
    pen_gid deepest; /* the body's cell of the deepest level, if needed */
    bodies_body body;
} nbody_body;

/* The kinds of mail: bodies on their way down the tree, and those in their new leaf, or the cell that will have it. */
enum { MOVING, ARRIVED };

/* Sort bodies by number. */
void pen_nbody_sort(nbody_body *list, int64_t count);

/* Read the i-th body of records PLACES and MOTION; `deepest` becomes 0. */
nbody_body pen_nbody_take(const nbody *s, const void *where, const void *motion, int64_t i);

/* Write the records PLACES and MOTION of count <= cell_max bodies. */
void pen_nbody_put(const nbody *s, const nbody_body *list, int64_t count, void *where, void *motion);

/* Set the number of bodies; the data after them become 0. */
void pen_nbody_set_count(const nbody *s, places *p, int64_t count);

/* The k-th of the gathered records PLACES, and their total number of bodies, limited since a checkpoint may be
 * forged. */
const places *pen_nbody_places(const nbody *s, const pen_records *where, int64_t k);
int64_t pen_nbody_count(const nbody *s, const pen_records *where);

/* Set bodies, mass, centre and box of a leaf with these bodies, or of a cell without bodies. */
void pen_nbody_weigh(const nbody_body *list, int64_t count, cell *c);
void pen_nbody_weigh_nothing(cell *c);

/* The square of a box's diagonal. */
double pen_nbody_size2(const cell *c);

/* The number of interactions in a leaf's step, PWgt of the paper: each body with the other bodies of its leaf and of
 * close leaves, with far cells, and 2 for its motion. */
static inline int64_t pen_nbody_interactions(int64_t bodies, int64_t close, int64_t far)
{
    return bodies * (bodies - 1 + close + far + 2);
}
