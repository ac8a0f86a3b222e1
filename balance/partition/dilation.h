/* dilation.h - what a partition costs on a network of processors. */
#ifndef PEN_DILATION_H
#define PEN_DILATION_H

#include "graph/graph.h"
#include "partition/architecture.h"

/* Collective. *cost gets the sum over all edges (arcs where directed) of weight * distance between the
 * processors of its ends' parts: Scotch's communication cost (Pellegrini and Roman, HPCN 1996). part[i] in
 * [0, architecture->processors) for each local node. The sum must fit 62 bits. Errors: PEN_ERR_MEMORY,
 * PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_dilation_cost(const pen_graph *graph, const pen_architecture *architecture,
                                         const int32_t *part, int64_t *cost);

#endif
