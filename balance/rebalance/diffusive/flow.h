/* flow.h - computes how much load flows over each link, before nodes are chosen. */
#pragma once

#include "rebalance/diffusive/proxies.h"

/* Collective. links.flow[k] becomes the load that shall go to link k (negative: come from there), so that `load`
 * of each rank becomes its `target` within `left`: of all such flows the one with the least sum of flow^2 /
 * conductance (Hu and Blake, An improved diffusion algorithm for dynamic load balancing, 1999), by conjugate
 * gradients with one reduction a step (Chronopoulos and Gear, 1989). The conductance of a link is its contact, or with
 * `by_load` that times the load of a node at that border: where nodes are heavy few of them need to move, and ranks
 * that hold a hot region follow it instead of growing tails in the cold around it. (Hot disc, 250x250, single nodes:
 * cut 1.16-1.20 of METIS's and 9.3-13.4 % moved with contacts alone, 1.04-1.13 and 6.9-10.0 % by load. Where a rank
 * has few nodes flows by load crowd: three phases on 32x32, 16 ranks, efficiency 0.864 instead of 0.886.) The tree
 * carries what nothing else can. On a network dear links conduct less. *steps gets the number of steps. */
PEN_CHECKED pen_status pen_flow_solve(proxies *p, double target, double left, bool by_load, int *steps);
