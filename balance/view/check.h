/* check.h - checks the results of an algorithm before they are used; and makes a balancer's plan, for one load or for
 * two alternating ones. */
#pragma once

#include "view/notes.h"

/* The index of this rank's node with a gid: [0, count) of the view, < 0: there is none. */
typedef pen_lid pen_find_fn(const void *context, pen_gid gid);

/* Local. Every node of a plan is one of this rank's `count` nodes and is moved once, to a rank that exists; nodes[i],
 * [count], becomes the node of move i; and its counts are finite. PEN_ERR_INTERNAL where that is not so, with a
 * sentence that begins with "it", the algorithm, or "its"; PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_plan_check(const pen_plan *plan, pen_lid count, const pen_peers *peers, pen_find_fn *find,
                                      const void *context, pen_lid *nodes);

/* Local. The plan's moves: own node i, [view->count], goes to rank to[i], which may be the one that it is on. */
void pen_plan_fill(pen_plan *plan, const pen_load_view *view, int rank, const int32_t *to);

/* Local. The first of `count` nodes whose part is not in [0, parts), or -1. */
pen_lid pen_parts_check(pen_lid count, const int32_t *part, int parts);

/* Collective. The balancer's plan for the loads of the view, checked: nodes[i], [view->count], becomes the node of move
 * i. If `before`, [view->count], is not NULL, the plan is for two loads, those of the view and these. The balancer then
 * makes two plans, one for the nodes that weigh more now and one for the others, each by the load under which they
 * weigh more, with all other nodes weighing nothing; the two together are the plan. So every rank gets its share of
 * either load, in a part of more pieces; a plan for the mean of both loads would not achieve that. The balancer sees
 * its notes, and changes them. PEN_ERR_MEMORY; PEN_ERR_INTERNAL if a plan is wrong; else as the balancer fails. */
PEN_CHECKED pen_status pen_plan_ask(const pen_balancer *balancer, void *state, const pen_load_view *view,
                                    const double *before, const pen_notes *notes, pen_peers *peers, pen_find_fn *find,
                                    const void *context, pen_plan *plan, pen_lid *nodes);
