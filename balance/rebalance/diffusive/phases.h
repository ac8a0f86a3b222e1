/* phases.h - a plan for several loads of every node, those of the phases of a step (pen_load_view).
 *
 * A step takes the sum over its phases of the largest load of a rank. A plan for the sums of a node's loads may give
 * all load of one phase to some ranks, and all load of another phase to others. So phases whose loads are on different
 * nodes are balanced one after another. Each is balanced with the nodes that have most of its load, on top of the load
 * that ranks already have of nodes placed before. Then every rank gets its share of each phase, in a part of more
 * pieces. This plan is used if a step becomes shorter by it. */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

/* Collective. A plan for the loads of a view with one phase: to[i], [view->count], is the rank that node i goes to.
 * `fixed` is other load of this rank, which stays. */
typedef pen_status phase_planner(const void *context, const pen_load_view *view, pen_peers *peers, double fixed,
                                 int32_t *to, int *rounds);

/* Collective. A plan for a view that may have loads per phase. PEN_ERR_MEMORY, and what `plan` and peers return. */
PEN_CHECKED pen_status pen_phases_plan(phase_planner *plan, const void *context, const pen_load_view *view,
                                       pen_peers *peers, int32_t *to, int *rounds);
