/* ask.h - a balancer is asked for a plan, for one load or for two that come by turns. */
#pragma once

#include "view/check.h"

/* Collective. The balancer's plan for the loads of the view, checked (check.h): nodes[i], [view->count], becomes the
 * node of move i. Where `before`, [view->count], is not NULL the plan is for two loads, those of the view and these:
 * the balancer makes two plans, one for the nodes that weigh more now and one for the others, each by the load under
 * which they weigh more and as if all other nodes weighed nothing; both together are the plan. So every rank gets its
 * share of either load, in a part of more pieces. A plan for the mean of both loads would give it its share of neither.
 * PEN_ERR_MEMORY; PEN_ERR_INTERNAL where a plan is wrong; else as the balancer fails. */
PEN_CHECKED pen_status pen_plan_ask(const pen_balancer *balancer, void *state, const pen_load_view *view,
                                    const double *before, pen_peers *peers, pen_find_fn *find, const void *context,
                                    pen_plan *plan, pen_lid *nodes);
