/* pagrid.h - distributes a graph to the processors of a machine such that the longest estimated time of any of them
 * (estimate.h) is short: a processor with slow links gets less work, and nodes that exchange much are placed where
 * links are fast. After PaGrid (Huang, Aubanel and Bhavsar 2006; Aubanel and Wu, IPDPS 2007), in which the estimate is
 * the objective at all levels of a multilevel scheme:
 *
 *   1. heavy-edge coarsening (levels.h); with a start, only nodes on the same processor are joined;
 *   2. the coarsest graph and the list of processors are bisected together, then parts are swapped, and vertices moved
 *      and swapped, by annealing (initial.h, anneal.h); the best of several tries is kept;
 *   3. on the way back to the graph, vertices at borders move, until no move improves the result.
 *
 * Steps 2 and 3 minimise the sum over processors of a power of the time; the power grows from level to level towards
 * the maximum. No MPI: the graph is in memory. Deterministic. */
#pragma once

#include "partition/pagrid/estimate.h"

typedef struct pen_pagrid_settings {
    double ratio; /* ratio of the times of communication and computation, as in pen_estimate_units_of */
    uint64_t seed;
} pen_pagrid_settings;

/* Local. Distribute the graph: part[v] in [0, machine->processors), [count]. `start`, [count] or NULL, is a partition
 * to start from: only useful moves are made, and the longest time does not grow. *most, unless NULL, becomes the
 * longest estimated time. If links have latencies, it needs 4 bytes per pair of processors. Errors: PEN_ERR_ARGUMENT
 * (neighbours that are not mutual or not ascending, a number that is not in its range), PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_pagrid_partition(const pen_pagrid_graph *graph, const pen_machine *machine,
                                            const pen_pagrid_settings *settings, const int32_t *start, int32_t *part,
                                            double *most);
