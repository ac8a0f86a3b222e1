/* select.h - nodes for the flows that go out. */
#pragma once

#include "rebalance/diffusive/aim.h"
#include "rebalance/diffusive/proxies.h"

/* Collective. Choose nodes for the flows that go out and hand them over: from the border inwards, those first that cut
 * the fewest edges, so that parts stay connected and round; for a rank that has no border with this one a cluster from
 * the other end. Not more than leaves this rank a third of the mean, for what goes through it. links.flow becomes what
 * is left to do; *moved gets the load handed over. PEN_ERR_MEMORY, and as pen_proxies_move. */
PEN_CHECKED pen_status pen_select_nodes(proxies *p, const diffusive_aim *aim, double *moved);
