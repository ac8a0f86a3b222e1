/* check.h - checks the results of an algorithm before they are used; and makes a balancer's plan, for one load or for
 * two alternating ones. */
#pragma once

#include "view/notes.h"

/* A function that finds the index of this rank's node with a gid, in [0, count) of the view; < 0: there is none. */
typedef pen_lid pen_find_fn(const void *context, pen_gid gid);

/* Local. Check a plan: every node is one of this rank's `count` nodes and is moved once, to a rank that exists, and the
 * counts are finite. nodes[i], [count], becomes the node of move i. PEN_ERR_INTERNAL if the plan is wrong, with a
 * sentence that begins with "it", the algorithm, or "its"; PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_plan_check(const pen_plan *plan, pen_lid count, const pen_peers *peers, pen_find_fn *find,
                                      const void *context, pen_lid *nodes);

/* Local. List the destinations of a plan: own node i, [view->count], goes to rank to[i], or stays there. */
void pen_plan_fill(pen_plan *plan, const pen_load_view *view, int rank, const int32_t *to);

/* Local. The index of the first of `count` nodes whose part is not in [0, parts), or -1. */
pen_lid pen_parts_check(pen_lid count, const int32_t *part, int parts);

/* Collective. Ask the balancer for a plan for the loads of the view, and check it: nodes[i], [view->count], becomes the
 * node of move i. If `before`, [view->count], is not NULL, the plan is for two loads, those of the view and these. The
 * balancer then makes two plans, one for the nodes that weigh more now and one for the others, each by the load under
 * which they weigh more, with all other nodes weighing nothing; the two together are the plan. So every rank gets its
 * share of either load, in a part of more pieces; a plan for the mean of both loads would not achieve that. The
 * balancer sees its notes, and changes them. PEN_ERR_MEMORY; PEN_ERR_INTERNAL if a plan is wrong; else as the balancer
 * fails. */
PEN_CHECKED pen_status pen_plan_ask(const pen_balancer *balancer, void *state, const pen_load_view *view,
                                    const double *before, const pen_notes *notes, pen_peers *peers, pen_find_fn *find,
                                    const void *context, pen_plan *plan, pen_lid *nodes);
