/* move_cost.h - the cost of moving a node, in addition to that of its edges. */
#pragma once

#include <penumbra_plugin.h>

/* Local. The cost of moving a node with so many neighbours, as a number of edges of weight 1 that are cut while the
 * plan is valid. In each step, such an edge is assumed to carry as much data as moving the node ships without its
 * neighbours. */
static inline double pen_move_cost(const pen_load_view *view, int64_t neighbors)
{
    double arcs = view->node_bytes > 0 ? (double)view->arc_bytes / (double)view->node_bytes : 0;
    return (1 + arcs * (double)neighbors) / view->horizon;
}
