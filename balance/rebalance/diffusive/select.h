/* select.h - chooses nodes for outgoing flows. */
#pragma once

#include "rebalance/diffusive/proxies.h"
#include "rebalance/diffusive/target.h"

/* Collective. Choose nodes for the outgoing flows and move them: from the border inwards, first those that cut the
 * fewest edges, so that parts stay connected and round; for a rank without a border with this one, a cluster from the
 * far side. This rank keeps a third of the mean for loads that pass through it. links.flow becomes the remaining flow;
 * *moved gets the moved load. PEN_ERR_MEMORY, and as pen_proxies_move. */
PEN_CHECKED pen_status pen_select_nodes(proxies *p, const diffusive_target *target, double *moved);
