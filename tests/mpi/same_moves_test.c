/* same_moves_test - a balancer's plan over MPI is its plan among virtual ranks, which see copies of the same views. The
 * decentralised plan of diffusive over MPI is the one that rank 0 makes for all virtual ranks.
 * pen_mpi_test(RANKS 1 2 3 4 7 16) */
#include "balance/registry.h"
#include "rebalance/balancers.h"
#include "tests/support/check.h"
#include "tests/support/world.h"
#include "tools/sim/virtual_ranks.h"
#include "view/machine.h"
#include "view/peers.h"
#include "view/view.h"

static pen_comm *comm;

/* Loads that are not whole numbers: sums depend on their order. */
static double load_of(pen_gid gid)
{
    const uint64_t bits = scramble((uint64_t)gid, 11);
    return bits >> 61 == 3 ? 0.0 : (double)(bits >> 40) / 1e5 * (gid % 7 == 0 ? 9.0 : 1.0);
}

typedef struct pen_answer {
    pen_status status;
    int64_t count;
    pen_move *moves;
} answer;

static answer ask(const pen_balancer *balancer, const char *settings, const pen_load_view *view, pen_peers *peers)
{
    void *state = NULL;
    answer a = { .moves = malloc(((size_t)view->count + 1) * sizeof(pen_move)) };
    CHECK_STATUS(pen_balancer_create(balancer, settings, &state), PEN_OK);
    pen_plan plan = { .moves = a.moves };
    a.status = balancer->plan(state, view, peers, &plan);
    a.count = plan.count;
    pen_balancer_destroy(balancer, state);
    return a;
}

/* ---- The views of all ranks on rank 0 ------------------------------------------------------- */

static void *gather(const void *mine, int64_t bytes, int64_t *lengths)
{
    int size = comm->size, *counts = malloc((size_t)size * sizeof *counts),
        *starts = malloc((size_t)size * sizeof *starts);
    MPI_Gather(&bytes, 1, MPI_INT64_T, lengths, 1, MPI_INT64_T, 0, comm->mpi);
    int total = 0;
    for (int r = 0; comm->rank == 0 && r < size; r++) {
        counts[r] = (int)lengths[r];
        starts[r] = total;
        total += (counts[r] + 7) / 8 * 8;
    }
    unsigned char *all = malloc((size_t)total + 1);
    MPI_Gatherv(mine, (int)bytes, MPI_BYTE, all, counts, starts, MPI_BYTE, 0, comm->mpi);
    free(counts);
    free(starts);
    return all;
}

enum { GIDS, OWNERS, LOADS, ROWS, COLUMNS, WEIGHTS, READS, ARRAYS };

static void gather_views(const pen_load_view *mine, pen_load_view *views, void *arrays[ARRAYS])
{
    const int64_t arcs = mine->rows[mine->count];
    const void *data[ARRAYS] = { mine->gids,    mine->owners,       mine->loads, mine->rows,
                                 mine->columns, mine->edge_weights, mine->reads };
    const int64_t bytes[ARRAYS] = { 8 * ((int64_t)mine->count + mine->shadows),
                                    4 * (int64_t)mine->shadows,
                                    8 * (int64_t)mine->count,
                                    4 * ((int64_t)mine->count + 1),
                                    4 * arcs,
                                    mine->edge_weights ? 8 * arcs : 0,
                                    mine->reads ? 8 * arcs : 0 };
    int64_t *lengths = malloc((size_t)comm->size * sizeof *lengths);
    MPI_Gather(mine, (int)sizeof *mine, MPI_BYTE, views, (int)sizeof *mine, MPI_BYTE, 0, comm->mpi);
    for (int a = 0; a < ARRAYS; a++) {
        unsigned char *at = arrays[a] = gather(data[a], bytes[a], lengths);
        for (int r = 0; comm->rank == 0 && r < comm->size; at += (lengths[r++] + 7) / 8 * 8) {
            const void *start = at;
            switch (a) {
            case GIDS: views[r].gids = start; break;
            case OWNERS: views[r].owners = start; break;
            case LOADS: views[r].loads = start; break;
            case ROWS: views[r].rows = start; break;
            case COLUMNS: views[r].columns = start; break;
            case WEIGHTS: views[r].edge_weights = mine->edge_weights ? start : NULL; break;
            default: views[r].reads = mine->reads ? start : NULL;
            }
        }
    }
    for (int r = 0; comm->rank == 0 && r < comm->size; r++) views[r].machine = mine->machine;
    free(lengths);
}

/* ---- The comparison ------------------------------------------------------------------------- */

typedef struct world {
    const pen_balancer *balancer;
    const char *settings;
    const pen_load_view *views;
    answer *answers;
} world;

static pen_status virtual_rank(void *context, pen_peers *peers)
{
    const world *w = context;
    w->answers[peers->rank] = ask(w->balancer, w->settings, &w->views[peers->rank], peers);
    return w->answers[peers->rank].status;
}

static int64_t moves_seen;

static void compare(const pen_balancer *balancer, const char *settings, const pen_load_view *view,
                    const pen_load_view *views)
{
    pen_mpi_peers peers;
    CHECK_STATUS(pen_peers_begin(comm, &peers), PEN_OK);
    answer mine = ask(balancer, settings, view, &peers.peers);
    CHECK_STATUS(pen_peers_end(&peers, mine.status, NULL), PEN_OK);
    int64_t *lengths = malloc((size_t)comm->size * sizeof *lengths);
    pen_move *all = gather(mine.moves, mine.count * (int64_t)sizeof *all, lengths);
    if (comm->rank == 0) {
        answer *answers = calloc((size_t)comm->size, sizeof *answers);
        const bool alone = strcmp(settings, "gather=never") == 0;
        world w = { balancer, alone ? "gather=always" : settings, views, answers };
        CHECK_STATUS(pen_virtual_run(comm->size, 1, virtual_rank, &w, NULL, NULL), PEN_OK);
        const pen_move *real = all;
        for (int r = 0; r < comm->size; r++) {
            int64_t count = lengths[r] / (int64_t)sizeof *real;
            CHECK_INT(count, answers[r].count);
            for (int64_t i = 0; i < count && i < answers[r].count; i++) {
                CHECK_INT(real[i].gid, answers[r].moves[i].gid);
                CHECK_INT(real[i].to, answers[r].moves[i].to);
            }
            moves_seen += count;
            real += count;
            free(answers[r].moves);
        }
        free(answers);
    }
    free(all);
    free(lengths);
    free(mine.moves);
}

static void try_case(const graph_case *g, const pen_load_view *view)
{
    static const struct {
        const pen_balancer *balancer;
        const char *settings;
    } balancers[] = { { &pen_balancer_diffusive, "" },
                      { &pen_balancer_central, "" },
                      { &pen_balancer_central, "published" },
                      { &pen_balancer_metis, "" },
                      { &pen_balancer_scotch, "" },
                      { &pen_balancer_scotch, "remap" },
                      { &pen_balancer_minex, "" },
                      { &pen_balancer_minex, "cost=rank" },
                      { &pen_balancer_pagrid, "" },
                      { &pen_balancer_diffusive, "gather=never" } };
    pen_load_view *views = malloc((size_t)comm->size * sizeof *views);
    void *arrays[ARRAYS];
    gather_views(view, views, arrays);
    for (int b = 0; b < PEN_COUNT_OF(balancers); b++) {
        int before = check_failures;
        compare(balancers[b].balancer, balancers[b].settings, view, views);
        if (check_failures > before)
            fprintf(stderr, "    in: %s, %s:%s\n", g->name, balancers[b].balancer->name, balancers[b].settings);
    }
    for (int a = 0; a < ARRAYS; a++) free(arrays[a]);
    free(views);
}

CHECKS()
{
    static const char *const specs[] = { "flat", "flat,speeds=1:3", "clusters:2,between=20,kind=UP" };
    CHECK_STATUS(pen_comm_create(MPI_COMM_WORLD, &comm), PEN_OK);
    for (int number = 0; number < CASES; number++) {
        graph_case g = case_make(number);
        pen_load_view view;
        pen_graph *graph = graph_of(&g, 9);
        CHECK_STATUS(pen_load_view_of_graph(graph, true, &view), PEN_OK);
        double *loads = malloc(((size_t)view.count + 1) * sizeof *loads);
        for (pen_lid i = 0; i < view.count; i++) loads[i] = load_of(view.gids[i]);
        const double *weights = view.loads;
        view.loads = loads;
        view.node_bytes = 48;
        view.arc_bytes = 16;
        view.horizon = 20.0;
        RUN(try_case(&g, &view));
        pen_machine *machine = NULL;
        CHECK_STATUS(pen_machine_create(comm, specs[number % PEN_COUNT_OF(specs)], comm->size, &machine), PEN_OK);
        pen_load_view_set_machine(&view, comm->rank, machine);
        RUN(try_case(&g, &view));
        pen_machine_destroy(&machine);
        view.loads = weights;
        free(loads);
        pen_load_view_free(&view);
        pen_graph_destroy(&graph);
        case_free(&g);
    }
    CHECK(comm->rank > 0 || comm->size == 1 || moves_seen > 100);
    pen_comm_destroy(&comm);
}
