/* tree.h - the octree of the initial bodies, complete on every rank: the first graph, and the bodies of each leaf. */
#pragma once

#include "apps/nbody/bodies.h"
#include "apps/nbody/cells.h"

/* A body's cell of the deepest level. */
typedef struct tree_item {
    pen_gid deepest;
    int64_t body;
} tree_item;

typedef struct tree_cell {
    pen_gid gid;
    int64_t first, bodies; /* items [first, first + bodies) */
    bool leaf;
    double mass, centre[3], size2;
    int64_t next; /* the cell after its subtree; cells are in depth-first order */
} tree_cell;

typedef struct nbody_tree {
    tree_item *items; /* by their leaves, then by their bodies' numbers */
    tree_cell *cells; /* [count] */
    int64_t count, room;
} nbody_tree;

/* All Local. Cells, closeness: as nbody.h defines them. pen_tree_free frees *tree, also after a failure. */

/* NULL, or a sentence about an error, valid until the next call: no memory, or more than cell_max bodies in a cell of
 * the deepest level. */
const char *pen_tree_create(const bodies_set *set, double half, int64_t cell_max, nbody_tree *tree);
void pen_tree_free(nbody_tree *tree);

/* NULL: there is no cell with this gid. */
const tree_cell *pen_tree_find(const nbody_tree *tree, pen_gid gid);

/* Counts a leaf's far cells, and the close bodies of other leaves; gids[], with room for all leaves, gets the gids of
 * these leaves. Returns their number. */
int64_t pen_tree_look(const nbody_tree *tree, const tree_cell *leaf, double delta, int64_t *far, int64_t *close,
                      pen_gid *gids);
