/* choose.h - nodes chosen one after the other for ranks that shall get load, so that few edges are cut. */
#ifndef PEN_CHOOSE_H
#define PEN_CHOOSE_H

#include "penumbra_plugin.h"
#include "status.h"

typedef struct pen_chooser {
    const pen_load_view *view;
    int32_t *to;      /* [count] the rank that a node was chosen for, or -1 */
    double *gains;    /* [count] of nodes in the heap: how much less would be cut if the node moved */
    pen_lid *heap;    /* [count] of which `waiting` are in use, the largest gain, then the lowest gid, at the top */
    pen_lid *places;  /* [count] in the heap, or < 0 */
    pen_lid waiting;
} pen_chooser;

/* Local. pen_chooser_free frees it, also after a failure. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_chooser_create(const pen_load_view *view, pen_chooser *chooser);
void pen_chooser_free(pen_chooser *chooser);

/* Local. Choose one node for a rank: of those that have a neighbour there, the one whose move leaves the lowest cut,
 * of equals that of the lowest gid. The node, or -1 where there is none. */
pen_lid pen_choose_one(pen_chooser *chooser, int32_t rank);

/* Local. Choose nodes for a rank that weigh `amount` together, to the nearest node: one after the other the one
 * whose move leaves the lowest cut, those chosen before counted as moved; with a neighbour there as long as there
 * are such. Nodes without load are chosen on the way to others only. Returns what they weigh. */
double pen_choose(pen_chooser *chooser, int32_t rank, double amount);

#endif
