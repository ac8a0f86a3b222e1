/* machine_worlds_test.c - on random worlds, most of them on machines of different speeds, every balancer has the same
 * result on real ranks (penumbra_partition.h) as on virtual ones. The argument is the number of worlds.
 * pen_mpi_test(ALONE RANKS 2 5 ARGUMENTS 50) */
#include "tests/support/unit.h"

#include "balance/registry.h"
#include "graph/graph.h"
#include "rebalance/balancers.h"
#include "tests/support/balance_cases.h"
#include "tests/support/check.h"
#include <penumbra_partition.h>

enum { MOST_NODES = 64 };

static const struct {
    const pen_balancer *balancer;
    const char *settings;
} asked[] = {
    { &pen_balancer_central, "" },
    { &pen_balancer_central, "published" },
    { &pen_balancer_diffusive, "" },
    { &pen_balancer_metis, "" },
    { &pen_balancer_scotch, "" },
    { &pen_balancer_scotch, "remap" },
    { &pen_balancer_rcb, "" },
    { &pen_balancer_sfc, "" },
    { &pen_balancer_minex, "" },
    { &pen_balancer_minex, "cost=rank" },
    { &pen_balancer_minex, "scratch,theta=0.5" },
    { &pen_balancer_pagrid, "" },
};

static int64_t moved;

/* The rows of a world, consecutive on each rank, with any owners: the results of METIS and Scotch depend on the order
 * of nodes. */
static pen_graph *hand_over(const pen_virtual_world *w, int rank, int32_t *mine, int32_t *count)
{
    pen_gid gids[MOST_NODES], *neighbors = malloc((w->rows[w->nodes] + 1) * sizeof *neighbors);
    int64_t rows[MOST_NODES + 1] = { 0 }, *weights = malloc((w->rows[w->nodes] + 1) * sizeof *weights);
    *count = 0;
    for (int32_t v = 0; v < w->nodes; v++) {
        if (v * w->ranks / w->nodes != rank) continue;
        mine[*count] = v;
        gids[*count] = PEN_VIRTUAL_GID(v);
        int64_t at = rows[*count];
        for (uint32_t a = w->rows[v]; a < w->rows[v + 1]; a++, at++) {
            neighbors[at] = PEN_VIRTUAL_GID(w->columns[a]);
            weights[at] = w->edge_weights ? w->edge_weights[a] : 1;
        }
        rows[++*count] = at;
    }
    const pen_csr csr = {
        .count = *count, .gids = gids, .rows = rows, .neighbors = neighbors, .edge_weights = weights
    };
    pen_graph *graph = NULL;
    CHECK_STATUS(pen_graph_from_csr(MPI_COMM_WORLD, &csr, &graph), PEN_OK);
    graph->dimensions = w->dimensions;
    graph->coordinates = malloc((size_t)(*count * w->dimensions + 1) * sizeof *graph->coordinates);
    for (int32_t i = 0; i < *count; i++)
        memcpy(graph->coordinates + i * w->dimensions, w->coordinates + mine[i] * w->dimensions,
               (size_t)w->dimensions * sizeof *graph->coordinates);
    free(neighbors);
    free(weights);
    return graph;
}

/* The owners that virtual ranks, run on one real rank, find. */
static void ask_virtual(pen_virtual_world *w, int k, int root, int32_t *owners)
{
    int32_t before[MOST_NODES];
    size_t bytes = (size_t)w->nodes * sizeof *owners;
    memcpy(before, w->owners, bytes);
    if (check_rank() == root)
        CHECK_STATUS(pen_virtual_world_balance(w, asked[k].balancer, asked[k].settings, NULL, false, NULL), PEN_OK);
    memcpy(owners, w->owners, bytes);
    memcpy(w->owners, before, bytes);
    MPI_Bcast(owners, w->nodes, MPI_INT32_T, root, MPI_COMM_WORLD);
}

static void compare(pen_virtual_world *w, const char *machine, uint64_t seed)
{
    int32_t mine[MOST_NODES], count, now[MOST_NODES], found[MOST_NODES], wanted[MOST_NODES];
    double loads[MOST_NODES];
    pen_graph *graph = hand_over(w, check_rank(), mine, &count);
    for (int32_t i = 0; i < count; i++) {
        now[i] = w->owners[mine[i]];
        loads[i] = w->loads[mine[i]];
    }
    for (int k = 0; k < PEN_COUNT_OF(asked); k++) {
        char spec[64];
        snprintf(spec, sizeof spec, "%s:%s", asked[k].balancer->name, asked[k].settings);
        const pen_rebalance how = {
            .balancer = spec, .machine = machine, .loads = loads, .owners = now, .horizon = w->horizon
        };
        ask_virtual(w, k, (int)(seed % (uint64_t)w->ranks), wanted);
        CHECK_STATUS(pen_graph_rebalance(graph, &how, found), PEN_OK);
        int before = check_failures;
        for (int32_t i = 0; i < count; i++) {
            CHECK_INT(found[i], wanted[mine[i]]);
            moved += found[i] != now[i];
        }
        if (check_failures > before)
            fprintf(stderr, "    in: world %d, %s, on %s\n", (int)seed, spec, machine ? machine : "none");
    }
    pen_graph_destroy(&graph);
}

CHECKS()
{
    int ranks, failed = 0, worlds = argc > 1 ? atoi(argv[1]) : 2000;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (uint64_t seed = 1; seed <= (uint64_t)worlds && !failed; seed++) {
        pen_virtual_world w;
        uint64_t state = pen_mix(seed), kind = balance_draw(&state, PEN_COUNT_OF(balance_machines) + 1);
        balance_case_of_ranks(seed, state, ranks, &w);
        w.machine = balance_case_machine(kind, ranks);
        w.dimensions = 2;
        w.coordinates = malloc(((size_t)w.nodes * 2 + 1) * sizeof *w.coordinates);
        for (int32_t i = 0; i < 2 * w.nodes; i++) w.coordinates[i] = (double)balance_draw(&state, 10);
        if (w.nodes > 0) RUN(compare(&w, w.machine ? balance_machines[kind] : NULL, seed));
        pen_virtual_world_free(&w);
        MPI_Allreduce(&check_failures, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(ranks == 1 || moved > worlds);
}
