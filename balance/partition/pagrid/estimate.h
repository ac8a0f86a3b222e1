/* estimate.h - the estimated time of a step on a machine, for each processor of a partition (Huang, Aubanel and
 * Bhavsar, PaGrid: a mesh partitioner for computational grids, J. Grid Computing 2006). Processor p is busy for
 *
 *     the work of its nodes / its speed
 *     + over all arcs of its nodes to nodes of other processors q: data * cost of the link from p to q
 *     + over all q that it reads of: latency of the link.
 *
 * No MPI: the graph is in memory. */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

typedef struct pen_pagrid_graph {
    int32_t count;          /* number of nodes */
    const int64_t *rows;    /* [count+1] offsets into columns */
    const int32_t *columns; /* [rows[count]] neighbours, mutual, ascending within a row, no loops, no duplicates */
    const double *work;     /* [count] work of each node, >= 0, finite; NULL: 1 */
    /* [rows[count]] data that the row's node reads of the neighbour, >= 0, finite; 0: it does not read it; NULL: 1. */
    const double *weights;
} pen_pagrid_graph;

/* The units of time: factors of work, data and latencies. */
typedef struct pen_estimate_units {
    double work, data, latency;
} pen_estimate_units;

/* Local. Compute the units. With a ratio R >= 0 the unit of time is the mean node's time on a processor of speed 1.
 * Work is counted in mean nodes, data in mean arcs (of those that are read), and communication is multiplied by R: R is
 * the time for a mean arc's data over a link of cost 1, divided by the time of a mean node. With R < 0 work, data and
 * latencies are used as they are. */
pen_estimate_units pen_estimate_units_of(const pen_pagrid_graph *graph, double ratio);

/* Local. Estimate times[p], [machine->processors], for part[v] in [0, machine->processors), [count]. Takes O(nodes +
 * arcs + processors). PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_estimate(const pen_pagrid_graph *graph, const pen_machine *machine, double ratio,
                                    const int32_t *part, double *times);

/* Local. Estimate the longest time of a processor. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_estimate_longest(const pen_pagrid_graph *graph, const pen_machine *machine, double ratio,
                                            const int32_t *part, double *longest);
