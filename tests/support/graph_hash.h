/* graph_hash.h - an order-free hash over all rows of a graph, equal for equal graphs, however they are distributed; and
 * the number of connected components. */
#pragma once

#include "base/hash.h"
#include "graph/graph.h"

#include <stdlib.h>

static inline uint64_t graph_hash_row(const pen_graph *g, pen_lid row)
{
    uint64_t hash = pen_mix((uint64_t)pen_graph_gid(g, row));
    for (int k = 0; k < g->weight_count; k++)
        hash = pen_mix(hash + (uint64_t)g->node_weights[(int64_t)row * g->weight_count + k]);
    if (g->node_sizes) hash = pen_mix(hash ^ (uint64_t)g->node_sizes[row]);
    for (int k = 0; k < g->dimensions; k++)
        hash = pen_mix(hash ^ pen_hash_bytes(&g->coordinates[(int64_t)row * g->dimensions + k], sizeof(double)));
    for (int64_t k = g->rows[row]; k < g->rows[row + 1]; k++) {
        hash = pen_mix(hash + (uint64_t)g->neighbors[k]);
        if (g->edge_weights) hash = pen_mix(hash + (uint64_t)g->edge_weights[k]);
    }
    return hash;
}

/* Collective over the graph's communicator. */
static inline uint64_t graph_hash(const pen_graph *g)
{
    uint64_t mine = 0, all = 0;
    for (pen_lid i = 0; i < g->count; i++) mine += graph_hash_row(g, i);
    MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, g->comm->mpi);
    return pen_mix(pen_mix(all + (uint64_t)g->nodes) + (uint64_t)g->edges) + g->directed;
}

static inline int64_t graph_root(int64_t *root, int64_t i)
{
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
}

/* The number of connected components of a graph on one rank. */
static inline int64_t graph_components(const pen_graph *alone)
{
    int64_t *root = malloc((size_t)alone->nodes * sizeof *root), count = alone->nodes;
    for (int64_t i = 0; i < alone->nodes; i++) root[i] = i;
    for (pen_lid i = 0; i < alone->count; i++)
        for (int64_t k = alone->rows[i]; k < alone->rows[i + 1]; k++) {
            int64_t a = graph_root(root, i), b = graph_root(root, alone->neighbors[k]);
            count -= a != b;
            root[a] = b;
        }
    free(root);
    return count;
}
