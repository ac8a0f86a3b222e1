/* move_cost.h - what moving a node costs beside what its edges cost. */
#pragma once

#include <penumbra_plugin.h>

/* Local. Of a node of so many neighbours, in edges of weight 1 cut for as long as the plan serves: each step such an
 * edge is taken to carry what a node ships, without its neighbours. */
static inline double pen_move_cost(const pen_load_view *view, int64_t neighbors)
{
    double arcs = view->node_bytes > 0 ? (double)view->arc_bytes / (double)view->node_bytes : 0;
    return (1 + arcs * (double)neighbors) / view->horizon;
}
