/* pattern.h - the exchanges of a comparison: graphs that contain only the nodes that other ranks pull. */
#pragma once

#include "graph/graph.h"
#include "store/store.h"

/* A graph whose rows are held by the owners of the nodes. */
typedef struct comm_pattern {
    pen_graph *graph;
    int32_t *owner; /* [graph->count] owner of each node, always this rank */
} comm_pattern;

/* Collective. Partition a graph, for a machine unless that is NULL. Keep the nodes that are pulled or that read pulled
 * ones, and the edges between ranks: the halo is that of the whole graph, in less memory. (Each rank's first node is
 * also kept, so that the graph is not empty.) *whole: the slots, window included, that this rank would have in a run of
 * the whole graph. Errors: as pen_graph_partition and pen_store_create. */
PEN_CHECKED pen_status pen_pattern_cut(pen_comm *comm, const pen_graph *graph, const char *partitioner,
                                       const char *machine, comm_pattern *pattern, pen_lid *whole);

/* Collective. Make a directed graph in which every rank has `nodes` nodes, all of which are pulled by the `neighbors`
 * preceding ranks, 1 <= neighbors < ranks. */
PEN_CHECKED pen_status pen_pattern_ring(pen_comm *comm, int neighbors, pen_lid nodes, comm_pattern *pattern);

/* Collective. Free a pattern. A zeroed one is legal. */
void pen_pattern_free(comm_pattern *pattern);
