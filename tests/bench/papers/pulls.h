/* pulls.h - steps of equal nodes on the processors of a machine that pull from each other what they need: what a run of
 * Penumbra does, in discrete time.
 *
 * A processor computes all its nodes, and then sends each other processor that reads of them one message with these
 * nodes' records, which is on its way for the link's latency and its cost for each record. It begins its next step when
 * all messages of this step have come. */
#pragma once

#include "graph/graph.h"
#include <penumbra_plugin.h>

typedef struct sim_pulls {
    double node, record; /* seconds of a node on a processor of speed 1, and of a record or a latency of 1 */
    bool in_turn;        /* what a processor gets comes in the order in which it is sent, one message after the other;
                          * else, as over --comm=NAME:delay=FILE, all at the same time */
    int64_t steps;
} sim_pulls;

/* Local. *seconds of the steps of a graph that is whole here, with part[v] in [0, machine->processors), [count]. In
 * about O(processors * (edges + processors * steps)). PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_sim_pulls(const pen_graph *graph, const pen_machine *machine, const int32_t *part,
                                     const sim_pulls *pulls, double *seconds);
