/* pattern.h - what is exchanged in a comparison: graphs that have nothing but the nodes that other ranks pull. */
#pragma once

#include "graph/graph.h"
#include "store/store.h"

/* A graph whose rows lie on the ranks that own the nodes. */
typedef struct comm_pattern {
    pen_graph *graph;
    int32_t *owner; /* [graph->count] this rank */
} comm_pattern;

/* Collective. Partition a graph, for a machine unless that is NULL, and keep the nodes that are pulled or that read
 * what is pulled, and the edges between ranks: the halo is that of the whole graph, run by run, and it takes little
 * memory. (Rank by rank the first node is kept too, so that there is a graph.) *whole gets the slots, window included,
 * that a run of the whole graph has on this rank. Errors as pen_graph_partition and pen_store_create. */
PEN_CHECKED pen_status pen_pattern_cut(pen_comm *comm, const pen_graph *graph, const char *partitioner,
                                       const char *machine, comm_pattern *pattern, pen_lid *whole);

/* Collective. Every rank has `nodes` nodes, all of which the `neighbors` ranks before it pull: 1 <= neighbors <
 * ranks. Directed. */
PEN_CHECKED pen_status pen_pattern_ring(pen_comm *comm, int neighbors, pen_lid nodes, comm_pattern *pattern);

/* Collective. A zeroed pattern is legal. */
void pen_pattern_free(comm_pattern *pattern);
