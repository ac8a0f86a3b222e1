/* flow.h - how much load shall go over which link, before any node is chosen. */
#ifndef PEN_DIFFUSIVE_FLOW_H
#define PEN_DIFFUSIVE_FLOW_H

#include "rebalance/diffusive/proxies.h"

/* Collective. links.flow[k] becomes the load that shall go to link k (negative: come from there), so that `load`
 * of each rank becomes its `target` within `left`: of all such flows the one with the least sum of flow^2 /
 * contact (Hu and Blake, An improved diffusion algorithm for dynamic load balancing, 1999), by conjugate
 * gradients with one reduction a step (Chronopoulos and Gear, 1989). The tree carries what nothing else can.
 * *steps gets the number of steps. */
PEN_CHECKED pen_status pen_flow_solve(proxies *p, double target, double left, int *steps);

#endif
