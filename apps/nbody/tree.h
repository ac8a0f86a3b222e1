/* tree.h - the octree of the initial bodies, complete on every rank: the first graph, and the bodies of each leaf.
 * Cells and closeness are defined in nbody.h. All functions are Local. */
#pragma once

#include "apps/nbody/bodies.h"
#include "apps/nbody/cells.h"

/* A body, and its cell of the deepest level. */
typedef struct tree_item {
    pen_gid deepest;
    int64_t body;
} tree_item;

typedef struct tree_cell {
    pen_gid gid;
    int64_t first, bodies; /* the cell has items [first, first + bodies) */
    bool leaf;
    double mass, centre[3], size2;
    int64_t next; /* index of the cell after its subtree; cells are in depth-first order */
} tree_cell;

typedef struct nbody_tree {
    tree_item *items; /* bodies, sorted by their leaves, then by their numbers */
    tree_cell *cells; /* [count] the cells */
    int64_t count, room;
} nbody_tree;

/* Create the tree. Returns NULL, or a sentence about an error, valid until the next call: no memory, or more than
 * cell_max bodies in a cell of the deepest level. Call pen_tree_free also after a failure. */
const char *pen_tree_create(const bodies_set *set, double half, int64_t cell_max, nbody_tree *tree);
void pen_tree_free(nbody_tree *tree);

/* Find the cell with a gid; NULL: there is none. */
const tree_cell *pen_tree_find(const nbody_tree *tree, pen_gid gid);

/* Count a leaf's far cells, and the close bodies of other leaves. gids[], with room for all leaves, becomes the gids of
 * the close leaves. Returns their number. */
int64_t pen_tree_look(const nbody_tree *tree, const tree_cell *leaf, double delta, int64_t *far, int64_t *close,
                      pen_gid *gids);
