/* serial.h - a whole graph on rank 0, for partitioners that are sequential.
 *
 * Integers are 32-bit, as METIS and Scotch have them, and are built while gathering: there is no
 * second copy of the graph. Rows are in ascending gid order wherever the nodes live, so that a
 * partition does not depend on the number of ranks. Of a directed graph the undirected one is made
 * that has an edge where there is an arc, weighted by the arcs' sum. */
#ifndef PEN_SERIAL_H
#define PEN_SERIAL_H

#include "graph/graph.h"

typedef struct pen_serial_graph {
    int32_t nodes;
    int32_t *rows;         /* [nodes+1] */
    int32_t *neighbors;    /* [rows[nodes]] row numbers, ascending within a row; no loops, no duplicates */
    int32_t *loads;        /* [nodes], or NULL: all equal */
    int32_t *edge_weights; /* [rows[nodes]], or NULL: all 1 */
    int32_t *sizes;        /* [nodes] what a node costs to send, or NULL: all 1 */
    int32_t *row_of;       /* [nodes] row of a node by its place in rank order, or NULL: the same */
} pen_serial_graph;

/* Collective. *serial gets the graph on rank 0, and stays empty elsewhere; pen_serial_free frees it on
 * all ranks. Errors: PEN_ERR_UNSUPPORTED (nodes, arcs, or a sum of loads, weights or sizes beyond 31
 * bits; `partitioner` begins the sentence), PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_serial_gather(const pen_graph *graph, const char *partitioner, pen_serial_graph *serial);

/* Collective. Agree on `mine`; if all is well, part[i] on every rank gets by_row[row of local node i]
 * of rank 0, [serial->nodes]. */
PEN_CHECKED pen_status pen_serial_scatter(const pen_graph *graph, pen_status mine, const pen_serial_graph *serial,
                                          const int32_t *by_row, int32_t *part);

/* Local. Frees the arrays and zeroes the structure. */
void pen_serial_free(pen_serial_graph *serial);

#endif
