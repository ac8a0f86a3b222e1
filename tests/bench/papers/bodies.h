/* bodies.h - bodies under gravity, in the octree of an N-body solver: the test cases of Harvey, Das and Biswas
 * (Performance of a heterogeneous grid partitioner for N-body applications), two Plummer spheres that are about to
 * merge. All bodies have the same mass. The cube (-32, 32)^3 is split in the middle of cells that have more than
 * `cell_most` bodies; what is outside of it counts with what is at its faces. */
#pragma once

#include "apps/nbody/bodies.h"
#include "base/status.h"
#include <penumbra_basics.h>

/* Local. *bodies: those of pen_bodies_draw; the caller frees them. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_bodies_place(int32_t count, uint64_t seed, bodies_body **bodies);

/* ---- The tree --------------------------------------------------------------------------------- */

/* A body's path from the root, of three bits a level. */
typedef struct bodies_item {
    uint64_t path;
    double place[3];
    int32_t body;
} bodies_item;

typedef struct bodies_cell {
    double centre[3], size; /* of mass; the diagonal of the box around the cell's bodies */
    int32_t first, bodies;  /* items [first, first + bodies) */
    int32_t leaf;           /* the leaf's number, or -1 */
    int32_t next;           /* behind all that is below it; cells are in depth-first order */
} bodies_cell;

typedef struct bodies_tree {
    bodies_item *items; /* by their paths */
    int32_t cell_most, count, leaves;
    bodies_cell *cells; /* [count] */
    int64_t room;
} bodies_tree;

/* Local. pen_bodies_tree_free frees it, also after a failure. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_bodies_tree_create(int32_t count, const bodies_body *bodies, int32_t cell_most,
                                              bodies_tree *tree);
void pen_bodies_tree_free(bodies_tree *tree);

/* Local. A cell w is close to a leaf v where size(w) >= closeness * distance of their centres of mass. v's bodies see
 * those of close leaves one by one, and far cells, the largest of them, as single bodies. */
bool pen_bodies_are_close(const bodies_cell *w, const bodies_cell *v, double closeness);

/* Local. One step of length `dt` (kick, drift, kick), with forces softened by 0.05. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_bodies_move(int32_t count, bodies_body *bodies, int32_t cell_most, double closeness,
                                       double dt);
