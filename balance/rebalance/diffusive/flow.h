/* flow.h - how much load shall go over which link, before any node is chosen. */
#ifndef PEN_DIFFUSIVE_FLOW_H
#define PEN_DIFFUSIVE_FLOW_H

#include "rebalance/diffusive/proxies.h"

/* Collective. links.flow[k] becomes the load that shall go to link k (negative: come from there), so that `load`
 * of each rank becomes its `target` within `left`: of all such flows the one with the least sum of flow^2 /
 * conductance (Hu and Blake, An improved diffusion algorithm for dynamic load balancing, 1999), by conjugate
 * gradients with one reduction a step (Chronopoulos and Gear, 1989). The conductance of a link is its contact times
 * the load of a node at that border: where nodes are heavy few of them need to move, and ranks that hold a hot region
 * follow it instead of growing tails in the cold around it. (Hot disc, 250x250: cut 1.16-1.20 of METIS's and
 * 9.3-13.4 % moved with contacts alone, 1.04-1.13 and 6.9-10.0 % so.) The tree carries what nothing else can.
 * *steps gets the number of steps. */
PEN_CHECKED pen_status pen_flow_solve(proxies *p, double target, double left, int *steps);

#endif
