/* gather.h - rank 0 plans for all ranks.
 *
 * A plan is little work with hundreds of messages. For small graphs the messages take most of the time: then every rank
 * sends its items to rank 0, which plans with a team of all ranks and sends the results back. */
#pragma once

#include "rebalance/diffusive/state.h"

/* Local. The work on the items of a team. It writes only items->to and the context. */
typedef pen_status plan_work(void *context, plan_team *team, const plan_items *items);

/* Local. Whether gathering is faster than messages, for a graph with this number of nodes and arcs on all ranks. */
bool pen_gather_pays(int ranks, double nodes, double arcs);

/* Collective, by teams of one rank. Rank 0 does the work for all ranks, in two exchanges. Every rank gets its to[], and
 * rank 0's context after the work: `bytes` plain bytes without pointers. PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED (more than
 * 2^31 items, 2^32 arcs, or 2 GiB per rank), and the status of `work`. */
PEN_CHECKED pen_status pen_gather_work(const plan_team *team, const plan_items *mine, plan_work *work, void *context,
                                       size_t bytes);
