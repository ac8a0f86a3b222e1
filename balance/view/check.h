/* check.h - what an algorithm returns: how it is told, and that it is looked at before anything is done with it; and a
 * balancer's plan, for one load or for two that come by turns. */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

/* Which of this rank's nodes has a gid: [0, count) of the view, < 0: none of them. */
typedef pen_lid pen_find_fn(const void *context, pen_gid gid);

/* Local. Every node of a plan is one of this rank's `count` nodes and is moved once, to a rank that exists; nodes[i],
 * [count], becomes the node of move i. PEN_ERR_INTERNAL where that is not so, with a sentence that begins with "it",
 * the algorithm; PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_plan_check(const pen_plan *plan, pen_lid count, const pen_peers *peers, pen_find_fn *find,
                                      const void *context, pen_lid *nodes);

/* Local. The plan's moves: own node i, [view->count], goes to rank to[i], which may be the one that it is on. */
void pen_plan_fill(pen_plan *plan, const pen_load_view *view, int rank, const int32_t *to);

/* Local. The first of `count` nodes whose part is not in [0, parts), or -1. */
pen_lid pen_parts_check(pen_lid count, const int32_t *part, int parts);

/* Collective. The balancer's plan for the loads of the view, checked: nodes[i], [view->count], becomes the
 * node of move i. Where `before`, [view->count], is not NULL the plan is for two loads, those of the view and these:
 * the balancer makes two plans, one for the nodes that weigh more now and one for the others, each by the load under
 * which they weigh more and as if all other nodes weighed nothing; both together are the plan. So every rank gets its
 * share of either load, in a part of more pieces. A plan for the mean of both loads would give it its share of neither.
 * PEN_ERR_MEMORY; PEN_ERR_INTERNAL where a plan is wrong; else as the balancer fails. */
PEN_CHECKED pen_status pen_plan_ask(const pen_balancer *balancer, void *state, const pen_load_view *view,
                                    const double *before, pen_peers *peers, pen_find_fn *find, const void *context,
                                    pen_plan *plan, pen_lid *nodes);
