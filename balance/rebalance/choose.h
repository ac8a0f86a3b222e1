/* choose.h - nodes chosen one after the other for ranks that shall get load, so that few edges are cut: the best node
 * is the one whose move leaves the lowest cut; of equals the one with most edges to where it moves, which keeps parts
 * round; of equals the one of the lowest gid. */
#ifndef PEN_CHOOSE_H
#define PEN_CHOOSE_H

#include "base/status.h"
#include <penumbra_plugin.h>

typedef struct pen_chooser {
    const pen_load_view *view;
    int32_t *to;     /* [count] the rank that a node was chosen for, or -1 */
    double *gains;   /* [count] of nodes in the heap: how much less would be cut if the node moved */
    double *links;   /* [count] of nodes in the heap: weight of the edges to where it would move */
    pen_lid *heap;   /* [count] of which `waiting` are in use, the best node at the top */
    pen_lid *places; /* [count] in the heap, or < 0 */
    pen_lid waiting;
} pen_chooser;

/* Local. pen_chooser_free frees it, also after a failure. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_chooser_create(const pen_load_view *view, pen_chooser *chooser);
void pen_chooser_free(pen_chooser *chooser);

/* Local. Choose the best of the nodes that have a neighbour there. The node, or -1 where there is none. */
pen_lid pen_choose_one(pen_chooser *chooser, int32_t rank);

/* Local. Choose nodes for a rank that weigh `amount` together, to the nearest node: one after the other the best one,
 * those chosen before counted as moved, of those that have a neighbour there as long as there are such. Nodes without
 * load are chosen on the way to others only. Returns what they weigh. */
double pen_choose(pen_chooser *chooser, int32_t rank, double amount);

#endif
