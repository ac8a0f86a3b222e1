/* pattern.h - the exchanges of a comparison: graphs that have only the nodes that other ranks pull. */
#pragma once

#include "graph/graph.h"
#include "store/store.h"

/* A graph whose rows are on the ranks that own the nodes. */
typedef struct comm_pattern {
    pen_graph *graph;
    int32_t *owner; /* [graph->count] this rank */
} comm_pattern;

/* Collective. Partition a graph, for a machine unless that is NULL. Keep the nodes that are pulled or that read what is
 * pulled, and the edges between ranks: the halo is the same as that of the whole graph, in less memory. (Each rank's
 * first node is kept too, so that the graph is not empty.) *whole: the slots, window included, that a run of the whole
 * graph has on this rank. Errors as pen_graph_partition and pen_store_create. */
PEN_CHECKED pen_status pen_pattern_cut(pen_comm *comm, const pen_graph *graph, const char *partitioner,
                                       const char *machine, comm_pattern *pattern, pen_lid *whole);

/* Collective. Every rank has `nodes` nodes, all of which the `neighbors` preceding ranks pull: 1 <= neighbors < ranks.
 * Directed. */
PEN_CHECKED pen_status pen_pattern_ring(pen_comm *comm, int neighbors, pen_lid nodes, comm_pattern *pattern);

/* Collective. A zeroed pattern is legal. */
void pen_pattern_free(comm_pattern *pattern);
