/* queue_hand.h - programs with few active nodes as they are written by hand: a queue of nodes, on one thread. */
#pragma once

#include <penumbra.h>

/* A graph of hexagons as pen_graph_generate makes it, in rows. */
typedef struct queue_graph {
    int64_t nodes;
    uint32_t *rows;   /* [nodes+1] */
    int32_t *columns; /* [rows[nodes]] */
} queue_graph;

queue_graph queue_hex(int64_t width, int64_t height);
void queue_free(queue_graph *g);

/* Distances [nodes] from node 0 in numbers of edges. `queue` has room for all nodes. */
void queue_paths(const queue_graph *g, double *distances, int32_t *queue);

/* The example fire from a state [nodes] on, to its end; the number of steps. `queue` has room for two times all nodes,
 * `burning` for all, of zeros. */
int64_t queue_fire(const queue_graph *g, double spread, uint64_t seed, uint8_t *state, int32_t *queue,
                   uint8_t *burning);
