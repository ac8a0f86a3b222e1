/* neighbors.h - gets values of the neighbours of this rank's nodes from other ranks. */
#pragma once

#include "graph/graph.h"

/* Collective. Every rank has a value for each of its nodes, values[graph->count]; of_arc[j] becomes the value of node
 * graph->neighbors[j], [graph->rows[graph->count]]. `mine` is this rank's status so far. Memory is linear in this
 * rank's nodes and arcs, for any distribution of the nodes. Errors: PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_neighbor_values(const pen_graph *graph, pen_status mine, const int32_t *values,
                                           int32_t *of_arc);
