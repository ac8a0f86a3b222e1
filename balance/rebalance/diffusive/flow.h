/* flow.h - computes how much load flows over each link, before nodes are chosen. */
#pragma once

#include "rebalance/diffusive/state.h"

/* Collective. links.flow[k] of each part becomes the load that shall go to link k (negative: come from there), so that
 * the load of each part differs from its target (plan_share.load) by at most `left`: of all such flows the one with
 * the least sum of flow^2 / conductance (Hu and Blake, An improved diffusion algorithm for dynamic load balancing,
 * 1999), by conjugate gradients with one reduction a step (Chronopoulos and Gear, 1989). The conductance of a link is
 * its contact, or with `by_load` that times the load of a node at that border: where nodes are heavy few of them need
 * to move, and ranks that hold a hot region follow it instead of growing tails in the cold around it. (Where a rank
 * has few nodes flows by load crowd.) The tree carries what nothing else can. On a network expensive links conduct
 * less. *steps gets the number of steps. */
PEN_CHECKED pen_status pen_flow_solve(plan_state *state, double left, bool by_load, int *steps);
