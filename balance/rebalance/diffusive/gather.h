/* gather.h - rank 0 plans for all ranks.
 *
 * Planning is short work with hundreds of messages. Where the graph is small, the messages are what takes time: then
 * every rank sends its items to rank 0, which plans with a team of all ranks and sends the results back. */
#pragma once

#include "rebalance/diffusive/state.h"

/* Local. The work, with the items of a team: writes to items->to and to the context only. */
typedef pen_status plan_work(void *context, plan_team *team, const plan_items *items);

/* Local. Whether that is faster, for graphs of so many nodes and arcs on all ranks together. */
bool pen_gather_pays(int ranks, double nodes, double arcs);

/* Collective, by teams of one rank. Two exchanges: rank 0 does the work for all ranks, and all get their to[] and the
 * `bytes` of rank 0's context as it left them, which have no pointers. PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED (2^31 items,
 * 2^32 arcs, 2 GiB a rank), and what `work` returns. */
PEN_CHECKED pen_status pen_gather_work(const plan_team *team, const plan_items *mine, plan_work *work, void *context,
                                       size_t bytes);
