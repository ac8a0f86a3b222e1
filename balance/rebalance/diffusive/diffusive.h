/* diffusive.h - the steps of a round of the diffusive balancer. All collective; each leaves the proxies as they
 * should be. */
#ifndef PEN_DIFFUSIVE_DIFFUSIVE_H
#define PEN_DIFFUSIVE_DIFFUSIVE_H

#include "rebalance/diffusive/flow.h"
#include "rebalance/diffusive/proxies.h"

/* What a rank aims at. */
typedef struct diffusive_aim {
    double target;  /* load of this rank: the mean, where no node is heavier than that */
    double mean;    /* of all ranks */
    double slack;   /* how far from the target is good enough, as a fraction of the target */
    pen_gid pinned; /* a node heavier than the mean stays where it is; -1: none */
} diffusive_aim;

/* Choose nodes for the flows that go out and hand them over: from the border inwards, those first that cut the
 * fewest edges, so that parts stay connected and round; for a rank that has no border with this one a cluster from
 * the far end. Not more than leaves this rank a third of the mean, for what goes through it. links.flow becomes
 * what is left to do; *moved gets the load handed over. */
pen_status pen_select_nodes(proxies *p, const diffusive_aim *aim, double *moved);

/* Parts that are not connected: all but the heaviest piece of a rank go where they have most contact, unless the
 * load there would be above `full`. How many pieces this rank has beyond one: *found (may be NULL) at first, *left
 * when nothing moved any more. */
pen_status pen_pieces_repair(proxies *p, const diffusive_aim *aim, double full, int64_t *found, int64_t *left);

/* Pairs of neighbouring ranks exchange nodes along their border so that the cut becomes less, and loads get or stay
 * within the slack (Fiduccia and Mattheyses 1982), every pair once. */
pen_status pen_refine_pairs(proxies *p, const diffusive_aim *aim, int sweep);

#endif
