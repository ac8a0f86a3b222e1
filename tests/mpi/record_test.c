/* record_test - the workload record of a run whose graph changes and whose nodes move, against tables that are whole on
 * every rank: after every step its rows, weights and loads are the tables', and new nodes are on the right ranks.
 * pen_mpi_test(RANKS 1 2 3 5) */
#include "tests/mpi/change_run.h"
#include "workload/workload.h"

#include <unistd.h>

static const mood moods[] = {
    { 10, 20, 50, 5, 10, 20 }, { 0, 30, 0, 20, 0, 0 },    { 50, 5, 20, 2, 50, 10 }, { 0, 0, 0, 0, 0, 0 },
    { 5, 5, 90, 30, 60, 50 },  { 100, 0, 0, 10, 10, 30 }, { 0, 50, 0, 10, 0, 0 },   { 100, 30, 60, 10, 50, 20 },
};

enum { STEPS = 12 };
static world worlds[STEPS]; /* after each step */
static char path[64];

static void check_row(const world *w, const pen_workload *record, int32_t place)
{
    int i = world_find(w, record->gids[place]);
    uint32_t a = record->rows[place];
    CHECK(i >= 0 && w->there[i]);
    if (i < 0) return;
    CHECK(record->loads[place] == (double)w->weight[i]);
    double at[3];
    world_place(w->gid[i], w->born[i], at);
    CHECK_INT(record->dimensions, w->dimensions);
    for (int d = 0; d < record->dimensions; d++) CHECK(record->coordinates[place * record->dimensions + d] == at[d]);
    for (int j = 0; j < UNIVERSE; j++) {
        if (!w->edge[i][j]) continue;
        bool more = a < record->rows[place + 1];
        CHECK(more && record->gids[record->columns[a]] == w->gid[j]);
        if (!more) return;
        CHECK_INT(record->edge_weights ? record->edge_weights[a] : 1, w->edge[i][j]);
        a++;
    }
    CHECK_INT(a, record->rows[place + 1]);
}

static void check_step(const world *w, const pen_workload *record)
{
    CHECK_INT(record->nodes, world_nodes(w));
    CHECK_INT(record->rows[record->places], world_arcs(w));
    CHECK(record->places <= UNIVERSE);
    for (int32_t place = 0; place < record->places; place++) {
        if (record->gids[place] >= 0) check_row(w, record, place);
        else CHECK(record->loads[place] == 0.0 && record->rows[place] == record->rows[place + 1]);
    }
}

/* Owners by place, if nobody moves. */
static void follow_change(const pen_workload *record, int32_t *owners)
{
    int32_t after[UNIVERSE];
    memcpy(after, owners, sizeof after);
    for (int64_t i = 0; i < record->change.died_count; i++) after[record->died[i]] = -1;
    for (int64_t i = 0; i < record->change.rows.count; i++) {
        const pen_workload_rows *rows = &record->change.rows;
        if (rows->parents[i] == PEN_WORKLOAD_STAYED) continue;
        after[record->changed[i]] = record->parents[i] >= 0 ? owners[record->parents[i]] : rows->owners[i];
    }
    memcpy(owners, after, sizeof after);
}

/* Where the run has its nodes in the end: gids[UNIVERSE] of every rank, ended by -1. */
static void check_owners(const pen_workload *record, const int32_t *owners, const pen_gid *gids)
{
    for (int32_t place = 0; place < record->places; place++) {
        bool found = record->gids[place] < 0;
        for (const pen_gid *at = gids + (int64_t)owners[place] * UNIVERSE; !found && *at >= 0; at++)
            found = *at == record->gids[place];
        CHECK(found);
    }
}

static void read_back(const world *first, bool moves, const pen_gid *gids)
{
    pen_workload record;
    pen_workload_event event = PEN_WORKLOAD_STEP;
    int32_t owners[UNIVERSE] = { 0 };
    CHECK_STATUS(pen_workload_open(path, &record), PEN_OK);
    if (check_failures > 0) return;
    CHECK_INT(record.world.ranks, ranks());
    CHECK(record.world.directed == first->directed && record.world.declared);
    CHECK_INT(record.world.phase_count, 3);
    CHECK_INT(record.world.phases[0].bytes, sizeof(tag));
    CHECK(strcmp(record.world.phases[1].name, "modify") == 0);
    for (int64_t i = 0; i < record.first.count; i++) owners[i] = record.first.owners[i];
    while (event != PEN_WORKLOAD_END && check_failures == 0) {
        CHECK_STATUS(pen_workload_next(&record, &event), PEN_OK);
        if (event == PEN_WORKLOAD_CHANGE) follow_change(&record, owners);
        if (event == PEN_WORKLOAD_STEP) check_step(&worlds[record.step - 1], &record);
    }
    CHECK_INT(record.step, STEPS);
    CHECK(record.times.open && record.times.loop > 0.0 && record.times.nn > 0.0);
    if (!moves) check_owners(&record, owners, gids);
    pen_workload_close(&record);
}

/* On rank 0; the caller frees it. */
static pen_gid *gather_gids(const pen_run *run)
{
    pen_gid mine[UNIVERSE], *all = malloc((size_t)ranks() * sizeof mine);
    for (int i = 0; i < UNIVERSE; i++) mine[i] = i < run->store->owned ? run->store->gids[i] : -1;
    MPI_Gather(mine, UNIVERSE, MPI_INT64_T, all, UNIVERSE, MPI_INT64_T, 0, MPI_COMM_WORLD);
    return all;
}

static void test_history(bool directed, bool moves, uint64_t seed)
{
    static world w;
    check_with("seed %" PRIu64, seed);
    world_begin(&w, seed, directed, seed % 3 == 0);
    w.dimensions = (int)seed % 3;
    world first = w;
    pen_run *run = make_run(&w, &(pen_run_options){ .output.record = path,
                                                    .partitioner = "block",
                                                    .balance = { moves ? "diffusive" : NULL, "every:2:always",
                                                                 .load = PEN_LOAD_DECLARED },
                                                    .debug.tests = &(pen_test_options){
                                                        .migrate_seed = 7, .migrate_part = moves ? 0.2 : 0.0 } });
    for (int step = 0; step < STEPS; step++) {
        if (step == 4) w.weighs = true;
        step_both(&w, run, seed, moods[step % PEN_COUNT_OF(moods)]);
        worlds[step] = w;
    }
    pen_gid *gids = gather_gids(run);
    pen_run_destroy(&run);
    if (check_rank() == 0 && check_failures == 0) read_back(&first, moves, gids);
    if (check_failures > 0) fprintf(stderr, "    in: directed %d, moves %d, seed %d\n", directed, moves, (int)seed);
    free(gids);
}

/* ---- Failures ------------------------------------------------------------------------------- */

static void test_failures(void)
{
    static world w;
    pen_run *run = NULL;
    world_begin(&w, 3, false, false);
    now = &w;
    pen_graph *graph = make_graph(&w);
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &app, &(pen_run_options){ .output.record = "/no/where/r" },
                                &run),
                 PEN_ERR_IO);
    CHECK_CONTAINS(pen_error_message(), "/no/where/r");
    for (int64_t k = 1; k < 400 && check_failures == 0; k += 3) { /* memory ends on one rank */
        if (check_rank() == ranks() - 1) pen_alloc_countdown = k;
        pen_status status = pen_run_create(MPI_COMM_WORLD, graph, &app, &(pen_run_options){ .output.record = path },
                                           &run);
        bool over = pen_alloc_countdown > 0;
        pen_alloc_countdown = 0;
        MPI_Bcast(&over, 1, MPI_C_BOOL, ranks() - 1, MPI_COMM_WORLD);
        if (status == PEN_OK) pen_run_destroy(&run);
        if (over) break;
        CHECK(status == PEN_ERR_MEMORY || status == PEN_OK); /* some can do without */
    }
    pen_graph_destroy(&graph);
}

CHECKS()
{
    int process = (int)getpid();
    MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(path, sizeof path, "record_test.%d.record", process);
    for (int kind = 0; kind < 4 && all_well(); kind++)
        for (uint64_t seed = 1; seed < 4 && all_well(); seed++) RUN(test_history(kind % 2, kind / 2, seed));
    if (all_well()) RUN(test_failures());
    if (check_rank() == 0) unlink(path);
}
