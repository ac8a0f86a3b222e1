/* cases.h - small graphs of all degenerate kinds, whole on every rank as lists of neighbours, independent of the
 * library; and a distributed copy of each with rows on random ranks. */
#pragma once

#include <penumbra.h>

#include <stdlib.h>

typedef struct graph_case {
    const char *name;
    int nodes;
    bool directed;
    pen_gid *gids;          /* [nodes] ascending */
    int *degree;            /* [nodes] */
    int (*neighbors)[64];   /* [nodes] indices, ascending */
    int64_t (*weights)[64]; /* [nodes] of edges, or NULL */
    int64_t *loads;         /* [nodes] or NULL */
} graph_case;

static inline uint64_t case_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static inline void case_arc(graph_case *g, int from, int to)
{
    int at = 0;
    while (at < g->degree[from] && g->neighbors[from][at] < to) at++;
    if (from == to || g->degree[from] == 64 || (at < g->degree[from] && g->neighbors[from][at] == to)) return;
    for (int i = g->degree[from]++; i > at; i--) g->neighbors[from][i] = g->neighbors[from][i - 1];
    g->neighbors[from][at] = to;
}

static inline void case_edge(graph_case *g, int a, int b)
{
    if (g->degree[a] == 64 || g->degree[b] == 64) return;
    case_arc(g, a, b);
    case_arc(g, b, a);
}

static inline graph_case case_new(const char *name, int nodes)
{
    graph_case g = { .name = name, .nodes = nodes };
    g.gids = malloc((size_t)nodes * sizeof *g.gids);
    g.degree = calloc((size_t)nodes, sizeof *g.degree);
    g.neighbors = calloc((size_t)nodes, sizeof *g.neighbors);
    for (int i = 0; i < nodes; i++) g.gids[i] = i;
    return g;
}

static inline void case_free(graph_case *g)
{
    free(g->gids);
    free(g->degree);
    free(g->neighbors);
    free(g->weights);
    free(g->loads);
}

enum { CASES = 12 };

static inline graph_case case_make(int number)
{
    uint64_t state = 1000 + (uint64_t)number;
    graph_case g;
    switch (number) {
    case 0: return case_new("one node", 1);
    case 1:
        g = case_new("two nodes", 2);
        case_edge(&g, 0, 1);
        return g;
    case 2: return case_new("no edges", 9);
    case 3:
        g = case_new("path", 23);
        for (int i = 0; i + 1 < g.nodes; i++) case_edge(&g, i, i + 1);
        return g;
    case 4:
        g = case_new("hub", 60);
        for (int i = 1; i < g.nodes; i++) case_edge(&g, 0, i);
        return g;
    case 5:
        g = case_new("hexagons", 48);
        for (int r = 0; r < 6; r++)
            for (int c = 0; c < 8; c++) {
                if (c + 1 < 8) case_edge(&g, r * 8 + c, r * 8 + c + 1);
                if (r + 1 == 6) continue;
                case_edge(&g, r * 8 + c, (r + 1) * 8 + c);
                int slanted = r % 2 ? c + 1 : c - 1;
                if (slanted >= 0 && slanted < 8) case_edge(&g, r * 8 + c, (r + 1) * 8 + slanted);
            }
        return g;
    case 6:
        g = case_new("random with isolated nodes", 70);
        for (int i = 0; i < 120; i++) case_edge(&g, (int)(case_random(&state) % 60), (int)(case_random(&state) % 60));
        return g;
    case 7:
        g = case_new("sparse gids", 40);
        for (int i = 0; i < 90; i++) case_edge(&g, (int)(case_random(&state) % 40), (int)(case_random(&state) % 40));
        for (int i = 0; i < g.nodes; i++)
            g.gids[i] = (INT64_C(1) << 61) / 40 * i + (pen_gid)(case_random(&state) % 1000);
        return g;
    case 8:
        g = case_new("directed", 50);
        g.directed = true;
        for (int i = 0; i < 150; i++) case_arc(&g, (int)(case_random(&state) % 50), (int)(case_random(&state) % 50));
        return g;
    case 9:
        g = case_new("one-way ring", 14);
        g.directed = true;
        for (int i = 0; i < g.nodes; i++) case_arc(&g, i, (i + 1) % g.nodes);
        return g;
    case 10: /* nothing but waiting for consumers holds the far end back */
        g = case_new("one-way path", 16);
        g.directed = true;
        for (int i = 0; i + 1 < g.nodes; i++) case_arc(&g, i, i + 1);
        return g;
    default:
        g = case_new("weights", 45);
        for (int i = 0; i < 110; i++) case_edge(&g, (int)(case_random(&state) % 45), (int)(case_random(&state) % 45));
        g.loads = malloc((size_t)g.nodes * sizeof *g.loads);
        g.weights = calloc((size_t)g.nodes, sizeof *g.weights);
        for (int i = 0; i < g.nodes; i++) {
            g.loads[i] = (int64_t)(case_random(&state) % 4);
            for (int j = 0; j < g.degree[i]; j++) {
                int low = i < g.neighbors[i][j] ? i : g.neighbors[i][j], high = i + g.neighbors[i][j] - low;
                g.weights[i][j] = 1 + (low * 7 + high * 3) % 10;
            }
        }
        return g;
    }
}

/* Collective. The rows of the case on random ranks, in random order of neighbours. */
static inline pen_status case_distribute(const graph_case *g, MPI_Comm comm, uint64_t seed, pen_graph **graph)
{
    int rank, size, arcs = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    pen_csr csr = { .directed = g->directed };
    pen_gid *gids = malloc((size_t)g->nodes * sizeof *gids);
    int64_t *rows = malloc(((size_t)g->nodes + 1) * sizeof *rows), *loads = malloc((size_t)g->nodes * sizeof *loads);
    pen_gid *neighbors = malloc((size_t)g->nodes * 64 * sizeof *neighbors);
    int64_t *weights = malloc((size_t)g->nodes * 64 * sizeof *weights);
    rows[0] = 0;
    for (int i = 0; i < g->nodes; i++) {
        if ((int)(case_random(&seed) % (uint64_t)size) != rank) continue;
        int turn = g->degree[i] ? (i * 5) % g->degree[i] : 0;
        for (int j = 0; j < g->degree[i]; j++, arcs++) {
            int k = (j + turn) % g->degree[i];
            neighbors[arcs] = g->gids[g->neighbors[i][k]];
            if (g->weights) weights[arcs] = g->weights[i][k];
        }
        gids[csr.count] = g->gids[i];
        if (g->loads) loads[csr.count] = g->loads[i];
        rows[++csr.count] = arcs;
    }
    csr.gids = gids;
    csr.rows = rows;
    csr.neighbors = neighbors;
    csr.node_weights = g->loads ? loads : NULL;
    csr.edge_weights = g->weights ? weights : NULL;
    pen_status status = pen_graph_from_csr(comm, &csr, graph);
    free(gids);
    free(rows);
    free(loads);
    free(neighbors);
    free(weights);
    return status;
}
