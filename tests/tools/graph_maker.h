/* graph_maker.h - small serial graphs with everything that a file format may hold, made from a seed. */
#pragma once

#include "base/hash.h"
#include "tools/graph/format.h"

#include <stdlib.h>

/* Make a graph of `nodes` nodes with these properties (HOLDS_... bits). Every third node is isolated with
 * HOLDS_ISOLATED, otherwise there is a ring; neighbours are in no particular order. Aborts if memory is short. */
static inline void graph_make(int64_t nodes, unsigned holds, uint64_t seed, file_graph *g)
{
    enum { MOST = 32 };
    *g = (file_graph){ .base = 1, .nodes = nodes, .directed = holds & HOLDS_DIRECTED };
    int64_t n = nodes > 0 ? nodes : 1, degree[MOST] = { 0 };
    int64_t weight[MOST][MOST] = { { 0 } }; /* 0: no arc */
    if (n > MOST) abort();
    for (int64_t i = 0; i < nodes; i++)
        for (int64_t j = 0; j < nodes; j++) {
            uint64_t word = pen_mix(seed ^ pen_mix((uint64_t)(i < j || g->directed ? i * MOST + j : j * MOST + i)));
            bool alone = (holds & HOLDS_ISOLATED) && (i % 3 == 1 || j % 3 == 1);
            bool ring = (i + 1) % nodes == j || (j + 1) % nodes == i;
            bool there = i == j ? (holds & HOLDS_LOOPS) && i % 4 == 0 : !alone && (ring || word % 4 == 0);
            if (there && !(holds & HOLDS_NO_EDGES))
                weight[i][j] = (holds & HOLDS_EDGE_WEIGHTS) ? (int64_t)(word >> 40) % 1000 + 1 : 1;
        }
    int64_t arcs = 0;
    for (int64_t i = 0; i < nodes; i++)
        for (int64_t j = 0; j < nodes; j++) degree[i] += weight[i][j] > 0;
    for (int64_t i = 0; i < nodes; i++) arcs += degree[i];
    if (PEN_ALLOC_ZERO(&g->rows, nodes + 1) || PEN_ALLOC(&g->neighbors, arcs)) abort();
    if ((holds & HOLDS_EDGE_WEIGHTS) && PEN_ALLOC(&g->edge_weights, arcs)) abort();
    if ((holds & HOLDS_SIZES) && PEN_ALLOC(&g->node_sizes, nodes)) abort();
    if ((holds & HOLDS_LABELS) && PEN_ALLOC(&g->labels, nodes)) abort();
    if (holds & (HOLDS_NODE_WEIGHT | HOLDS_NODE_WEIGHTS)) {
        g->weight_count = holds & HOLDS_NODE_WEIGHTS ? 3 : 1;
        if (PEN_ALLOC(&g->node_weights, nodes * g->weight_count)) abort();
    }
    for (int64_t i = 0, a = 0; i < nodes; i++) {
        int64_t turn = (int64_t)(pen_mix(seed + (uint64_t)i) % (uint64_t)nodes);
        for (int64_t k = 0; k < nodes; k++) {
            int64_t j = (k + turn) % nodes;
            if (weight[i][j] == 0) continue;
            g->neighbors[a] = j;
            if (g->edge_weights) g->edge_weights[a] = weight[i][j];
            a++;
        }
        g->rows[i + 1] = a;
        if (g->node_sizes) g->node_sizes[i] = 5 * i;
        if (g->labels) g->labels[i] = 7 * i + 10;
        for (int64_t w = 0; w < g->weight_count; w++)
            g->node_weights[i * g->weight_count + w] = 1 + i % 3 + w - ((holds & HOLDS_ZERO_NODE_WEIGHTS) && i == 0);
    }
}
