/* partition.h - static partitioners: which part each node of a graph starts in. */
#ifndef PEN_PARTITION_H
#define PEN_PARTITION_H

#include "graph.h"

/* A whole graph on one rank, for partitioners that are sequential. Rows are in gid order. */
typedef struct pen_serial_graph {
    int64_t nodes;
    const int64_t *rows;          /* [nodes+1] */
    const int64_t *neighbors;     /* [rows[nodes]] row numbers */
    const int64_t *loads;         /* [nodes], or NULL for 1 */
    const int64_t *edge_weights;  /* [rows[nodes]], or NULL for 1 */
} pen_serial_graph;

/* Collective. part[i] in [0, parts) for each local node i of the graph, [graph->count]. `spec` is
 * "name" or "name:settings", settings being what the partitioner's help says, mostly
 * "key=value,key=value". Empty parts are legal. Errors: PEN_ERR_INPUT (unknown name, with the known
 * ones and the nearest; bad settings), PEN_ERR_UNSUPPORTED (the graph does not fit the partitioner,
 * with the reason), PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_partition(const pen_graph *graph, const char *spec, int parts, int32_t *part);

/* Local. Print the table of `--list-partitioners`: name, summary, settings. */
void pen_partition_list(FILE *out);

#endif
