/* execute.h - a step of an N-body solver on the processors of a machine, in discrete time, after section 5 of Harvey,
 * Das and Biswas (Performance of a heterogeneous grid partitioner for N-body applications).
 *
 * Vertices are cells of bodies. What moves to a new owner, and then what a processor needs of others, is sent in
 * messages, at most one of either kind from one processor to another, which takes the link's latency and its cost per
 * body. What the paper leaves open is chosen here:
 *
 *   - A processor has so many channels out, and as many in. A message holds one of its sender's and one of its
 *     receiver's for as long as it takes.
 *   - Processor q sends to q + 1, q + 2, ... in turn, around; first what moves. Data goes out when all that moves to q
 *     has arrived. A message whose receiver has no channel waits, and all behind it. Of those that could start at a
 *     time the one of the lowest sender starts.
 *   - A processor computes what needs no data of others from time 0 on, and then each message's part, in the order of
 *     arrival: with a cell that has moved what needs no data, with data what needs it, a body for a body.
 *   - A cell's data is not sent to a processor that the cell is just moving away from.
 *
 * The step has taken as long as the last processor; its imbalance is that time over the mean of all. */
#pragma once

#include "partition/minex/minex.h"

/* A cell's bodies are sent once to each processor that needs them, or once for each cell there that does. */
typedef enum sim_send { SIM_SEND_RANK, SIM_SEND_EDGE } sim_send;

typedef struct sim_rules {
    sim_send send;
    int channels; /* >= 1 */
} sim_rules;

typedef struct sim_execution {
    double runtime, imbalance;
    double computing; /* the longest time that a processor computes */
    int64_t messages;
    double bodies; /* sent */
} sim_execution;

/* Local. The step of a graph whose `size` are bodies, in which a cell's bodies meet all those of the cells that it
 * reads, which is part of its work, where part[v] in [0, machine->processors), [count], is the new owner. In about
 * O(edges + messages * (log processors + processors / 64)), with processors^2 / 8 bytes. PEN_ERR_UNSUPPORTED (more than
 * 2^31 - 1 messages), PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_sim_execute(const pen_minex_graph *graph, const pen_machine *machine, sim_rules rules,
                                       const int32_t *part, sim_execution *execution);
