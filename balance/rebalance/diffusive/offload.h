/* offload.h - work of all ranks that rank 0 does for them, on virtual ranks.
 *
 * Planning is short work with hundreds of messages. Where the graph is small, the messages are what takes time: then
 * every rank sends its part of the graph to rank 0, which does the same work on virtual ranks and sends the results
 * back. Reductions add up in the same order there, so a plan is the same in every bit, wherever it is made. */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

/* A rank's part of the work. */
typedef struct offload_part {
    pen_load_view view; /* graph, loads, bytes, horizon and speed travel; the machine is rank 0's. The work must read
                         * nothing else of it, which only rank 0's own part has */
    int32_t *sizes;     /* [view.count], or NULL on all ranks */
    int32_t *to;        /* [view.count] as it is when the work begins, and when it is done */
    void *state;        /* the same for what else is given and returned; without pointers */
} offload_part;

/* Collective. The work; it writes to part->to and part->state only. The context is rank 0's. */
typedef pen_status offload_work(const void *context, pen_peers *peers, offload_part *part);

/* Local. Whether that is faster, for graphs of so many nodes and arcs on all ranks together. */
bool pen_offload_pays(int ranks, double nodes, double arcs);

/* Collective. Two exchanges: `work` is done for all ranks on rank 0. `bytes` of each state, equal on all ranks.
 * PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED (2 GiB a rank), and what `work` returns. */
PEN_CHECKED pen_status pen_offload_run(pen_peers *peers, offload_work *work, const void *context, size_t bytes,
                                       offload_part *mine);
