/* sequential.h - sequential partitioners: the graph goes to rank 0, and its parts come back. */
#pragma once

#include "graph/graph.h"
#include "partition/gather.h"
#include <penumbra_plugin.h>

/* A function that partitions on rank 0: sets part[row], [graph->nodes]. */
typedef pen_status pen_divide_fn(const void *settings, pen_serial_graph *graph, const pen_machine *machine, int parts,
                                 int32_t *part);

/* Collective. Partition a graph by `divide`: part[i] of each local node. Rows are in ascending order of gids, so a
 * partition does not depend on the number of ranks. A directed graph is replaced by the undirected graph that has an
 * edge for each arc, with the sum of the arcs' weights. Errors: PEN_ERR_UNSUPPORTED (nodes, arcs, or a sum of loads,
 * weights or sizes beyond 31 bits; `owner` begins the sentence), PEN_ERR_MEMORY, PEN_ERR_MPI, and those of `divide`. */
PEN_CHECKED pen_status pen_partition_sequentially(const pen_graph *graph, const char *owner, pen_divide_fn *divide,
                                                  const void *settings, const pen_machine *machine, int parts,
                                                  int32_t *part);
