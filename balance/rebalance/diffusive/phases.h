/* phases.h - a plan for several loads of every node, those of the phases of a step (pen_load_view).
 *
 * A step takes the sum over its phases of the greatest load of a rank. A plan for the sums of a node's loads may give
 * all of one phase to some ranks, and all of another one to others. So phases whose loads are on different nodes are
 * balanced one by one, each with the nodes that weigh most in it, on top of what the nodes of the phases before have
 * brought to the ranks: every rank gets its share of each phase, in a part of more pieces. That is done where a step
 * becomes shorter by it. */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

/* Collective. A plan for the loads of a view, of one phase, on ranks that have a load besides, `fixed`: to[i],
 * [view->count], is the rank that node i goes to. */
typedef pen_status phase_planner(const void *context, const pen_load_view *view, pen_peers *peers, double fixed,
                                 int32_t *to, int *rounds);

/* Collective. Such a plan for a view that may have loads of several phases. PEN_ERR_MEMORY, and what `plan` and peers
 * return. */
PEN_CHECKED pen_status pen_phases_plan(phase_planner *plan, const void *context, const pen_load_view *view,
                                       pen_peers *peers, int32_t *to, int *rounds);
