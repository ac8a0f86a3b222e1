/* recipe.h - small graphs that a rule describes, spread over the ranks. */
#pragma once

#include "base/hash.h"
#include "tests/support/check.h"

#include <penumbra.h>
#include <stdlib.h>

enum { RECIPE_NODES = 6000, RECIPE_ARCS = 10000 }; /* of any such graph, on a rank */

/* Nodes i in [0, count) with gids gid(i) and arcs from i to those j that adjacent(i, j) says. */
typedef struct recipe {
    int count;
    pen_gid (*gid)(int i);
    bool (*adjacent)(int i, int j);
    int64_t (*load)(int i);          /* or NULL */
    int64_t (*weight)(int i, int j); /* or NULL */
    bool directed, all_on_last;      /* all_on_last: the last rank has all nodes */
} recipe;

static inline pen_gid plain(int i) { return i; }
static inline pen_gid scrambled(int i) { return (pen_gid)(pen_mix((uint64_t)i) >> 2); }
static inline bool nothing(int i, int j) { return (void)i, (void)j, false; }
static inline bool star(int i, int j) { return (i == 0) != (j == 0); }
static inline bool one_way(int i, int j)
{
    return j == (i + 1) % 100 || (j == i + 10 && i % 3 == 0) || (i == j + 10 && j % 6 == 0);
}
static inline bool grid(int i, int j) { return (abs(i - j) == 1 && i / 20 == j / 20) || abs(i - j) == 20; }
static inline int64_t zero(int i) { return (void)i, 0; }
static inline int64_t varied(int i) { return (int64_t)(pen_mix((uint64_t)i) % 50); }
static inline int64_t edge(int i, int j) { return 1 + (i + j) % 5 * 10; }

/* Collective. */
static inline pen_graph *build(MPI_Comm comm, const recipe *r)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    static pen_gid gids[RECIPE_NODES], neighbors[RECIPE_ARCS];
    static int64_t rows[RECIPE_NODES + 1], loads[RECIPE_NODES], weights[RECIPE_ARCS];
    pen_lid count = 0;
    int64_t arcs = 0;
    for (int i = 0; i < r->count; i++) {
        int owner = r->gid == plain ? (int)((int64_t)i * size / r->count) : i % size;
        if (r->all_on_last) owner = size - 1;
        if (owner != rank) continue;
        gids[count] = r->gid(i);
        if (r->load) loads[count] = r->load(i);
        for (int j = 0; j < r->count; j++) {
            if (i == j || !r->adjacent(i, j)) continue;
            if (r->weight) weights[arcs] = r->weight(i, j);
            neighbors[arcs++] = r->gid(j);
        }
        rows[++count] = arcs;
    }
    pen_csr csr = { .count = count,
                    .gids = gids,
                    .rows = rows,
                    .neighbors = neighbors,
                    .node_weights = r->load ? loads : NULL,
                    .edge_weights = r->weight ? weights : NULL,
                    .directed = r->directed };
    pen_graph *graph = NULL;
    CHECK_STATUS(pen_graph_from_csr(comm, &csr, &graph), PEN_OK);
    return graph;
}

/* Collective. Order-free hash of (gid, part); -1 parts count too. */
static inline uint64_t fingerprint(const pen_graph *graph, const int32_t *part)
{
    uint64_t sum = 0, all = 0;
    for (pen_lid i = 0; i < graph->count; i++)
        sum += pen_mix(pen_mix((uint64_t)pen_graph_gid(graph, i)) + (uint64_t)part[i]);
    MPI_Allreduce(&sum, &all, 1, MPI_UINT64_T, MPI_SUM, graph->comm->mpi);
    return all;
}

typedef struct part_loads {
    int64_t least, most, total, heaviest;
} part_loads;

/* Collective. Of the loads of parts; that of the heaviest node, too. */
static inline part_loads measure(const pen_graph *graph, const int32_t *part, int parts)
{
    static int64_t mine[RECIPE_NODES], all[RECIPE_NODES];
    memset(mine, 0, sizeof mine);
    part_loads l = { INT64_MAX, 0, 0, 0 };
    int64_t heaviest = 0;
    for (pen_lid i = 0; i < graph->count; i++) {
        int64_t load = pen_graph_load(graph, i);
        mine[part[i]] += load;
        heaviest = load > heaviest ? load : heaviest;
    }
    MPI_Allreduce(mine, all, parts, MPI_INT64_T, MPI_SUM, graph->comm->mpi);
    MPI_Allreduce(&heaviest, &l.heaviest, 1, MPI_INT64_T, MPI_MAX, graph->comm->mpi);
    for (int k = 0; k < parts; k++) {
        l.total += all[k];
        l.least = all[k] < l.least ? all[k] : l.least;
        l.most = all[k] > l.most ? all[k] : l.most;
    }
    return l;
}
