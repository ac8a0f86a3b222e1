/* machine_shares_test.c - parts and ranks get shares in proportion to the speeds of their processors, from every
 * partitioner and balancer; and a run on a machine has the same results.
 * pen_mpi_test(ALONE RANKS 1 2 3 7) */
#include "balance/partitioners.h"
#include "balance/registry.h"
#include "balancing/loads.h"
#include "graph/graph.h"
#include "partition/partition.h"
#include "run/state.h"
#include "tests/support/world.h"
#include "view/machine.h"
#include "view/quality.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 96, HEIGHT = 64, PARTS = 16 };

/* The most that a part is off its share, as a fraction of that. */
static double worst_of(const pen_graph *graph, const pen_machine *m, const int32_t *part)
{
    double loads[PARTS] = { 0 }, total = 0, worst = 0;
    for (pen_lid i = 0; i < graph->count; i++) loads[part[i]]++;
    MPI_Allreduce(MPI_IN_PLACE, loads, PARTS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int p = 0; p < PARTS; p++) total += loads[p];
    for (int p = 0; p < PARTS; p++) worst = fmax(worst, fabs(loads[p] / (total * m->speeds[p] / m->total_speed) - 1.0));
    return worst;
}

static void test_partitioners(pen_graph *graph, const char *spec)
{
    static const struct {
        const char *name;
        double most;
    } some[] = { { "random", 0.3 }, { "rect", 0.05 }, { "metis", 0.05 }, { "scotch", 0.05 }, { "ptscotch", 0.05 } };
    pen_machine *machine = NULL;
    int32_t *part = malloc(((size_t)graph->count + 1) * sizeof *part);
    CHECK_STATUS(pen_machine_create(graph->comm, spec, PARTS, &machine), PEN_OK);
    const char *name;
    for (int i = 0; (name = pen_partition_name(i)) != NULL; i++) {
        double most = 0.03;
        for (int k = 0; k < (int)(sizeof some / sizeof *some); k++)
            if (strcmp(name, some[k].name) == 0) most = some[k].most;
        if (strcmp(name, "file") == 0 || strcmp(name, "one") == 0) continue; /* nodes move where the test says */
        /* Those that work by the time of a step are told that communication takes none. */
        bool by_time = strcmp(name, "minex") == 0 || strcmp(name, "pagrid") == 0;
        char chosen[32];
        snprintf(chosen, sizeof chosen, "%s%s", name, by_time ? ":ratio=0" : "");
        pen_status status = pen_partition(graph, chosen, machine, PARTS, part);
        if (strcmp(name, "gray") == 0) {
            CHECK_STATUS(status, PEN_ERR_UNSUPPORTED);
            CHECK_CONTAINS(pen_error_message(), "different speeds");
        } else if (status == PEN_ERR_UNSUPPORTED) {
            bool needs_ranks = strcmp(name, "diffusive") == 0, absent = strcmp(name, "ptscotch") == 0;
            CHECK(needs_ranks || absent);
        } else {
            CHECK_STATUS(status, PEN_OK);
            double worst = worst_of(graph, machine, part);
            if (worst > most) fprintf(stderr, "%s on %s: %g off\n", name, spec, worst);
            CHECK(worst <= most);
        }
    }
    pen_machine_destroy(&machine);
    free(part);
}

/* ---- Runs ----------------------------------------------------------------------------------------- */

typedef struct cell {
    double heat;
} cell;

static void init(const pen_view *v) { PEN_NEXT(v, 0, cell)->heat = pen_id(v) % 7 == 0 ? 100.0 : 0.0; }
static void relax(const pen_view *v)
{
    double sum = 0.0;
    for (int32_t i = 0; i < pen_degree(v); i++) sum += PEN_NEIGHBOR(v, 0, cell, i)->heat;
    PEN_NEXT(v, 0, cell)->heat = pen_degree(v) ? sum / pen_degree(v) : PEN_SELF(v, 0, cell)->heat;
}
static void print(const pen_view *v, FILE *out) { fprintf(out, "%.17g", PEN_SELF(v, 0, cell)->heat); }
static double cost(const pen_view *v) { return pen_id(v) < WIDTH * HEIGHT / 4 ? 5.0 : 1.0; }
PEN_COST_SWEEP(cost)

static const pen_field fields[] = { { .name = "cell", .size = sizeof(cell) } };
static const pen_phase phases[] = { { "relax", .node = relax, .reads = PEN_SET(0), .writes = PEN_SET(0),
                                      .cost = cost_sweep } };
static const pen_app app = {
    .name = "heat", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init, .output.print = print
};

/* What costs 5 is a quarter: all costs are known, and so is what a rank may have. */
static void test_run(pen_graph *graph, const char *balancer)
{
    const int ranks = check_size(), rank = check_rank();
    const pen_run_options options = { .machine = "flat,speeds=1:3",
                                      .partitioner = "block",
                                      .balance = { balancer, "every:4:always", .load = PEN_LOAD_DECLARED } };
    pen_run *run = run_with(graph, &app, &options);
    CHECK_STATUS(pen_run_steps(run, 60), PEN_OK); /* central moves load from rank to rank, call by call */
    expect_verified(run);
    pen_local local = pen_run_local(run);
    double load = 0.0, total = WIDTH * HEIGHT * 2.0, speeds = (ranks + 1) / 2 + 3.0 * (ranks / 2);
    for (pen_lid i = 0; i < local.count; i++) load += local.gids[i] < WIDTH * HEIGHT / 4 ? 5.0 : 1.0;
    double share = total * (rank % 2 ? 3.0 : 1.0) / speeds;
    double off = load / share - 1.0; /* central gives nothing to ranks with too little */
    if (strcmp(balancer, "central") != 0) off = fabs(off);
    if (off > 0.05) fprintf(stderr, "%s: load %g, share %g\n", balancer, load, share);
    CHECK(off <= 0.05);
    pen_run_destroy(&run);
}

/* Files of text, and of Scotch; the hosts of the ranks. */
static void test_named(pen_graph *graph)
{
    static const char text[] = "processors 3\ncluster a 2 speed=4\ncluster b 1\nlink a b cost=7\n";
    static const char scotch[] = "deco 0\n3 5\n0 1 4\n1 2 5\n2 1 3\n3 1 2\n";
    pen_machine *m = NULL;
    write_text("machine_test.machine", text);
    write_text("machine_test.tgt", scotch);
    CHECK_STATUS(pen_machine_open(graph->comm, "./machine_test.machine", 3, &m), PEN_OK);
    CHECK(m->speeds[1] == 4.0 && m->link(m, 0, 2).cost == 7.0 && m->link(m, 0, 1).cost == 1.0);
    pen_machine_destroy(&m);
    CHECK_STATUS(pen_machine_open(graph->comm, "./machine_test.machine", 4, &m), PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), "it has 3 processors, fewer than parts, 4");
    CHECK_STATUS(pen_machine_open(graph->comm, "machine_test.tgt", 3, &m), PEN_OK);
    CHECK(m->speeds[0] == 1.0 && m->speeds[1] == 2.0);
    CHECK(m->link(m, 0, 1).cost == 3.0 && m->link(m, 2, 0).cost == 1.0 && m->link(m, 1, 2).cost == 2.0);
    pen_machine_destroy(&m);
    setenv("HWLOC_SYNTHETIC", "package:1 core:1 pu:1", 1); /* whatever ranks are bound to: it is not this host */
    CHECK_STATUS(pen_machine_open(graph->comm, "host,between=4", graph->comm->size, &m), PEN_OK);
    for (int p = 0; p < graph->comm->size; p++)
        CHECK(m->speeds[p] == 1.0 && m->link(m, 0, p).cost == (m->clusters[0] == m->clusters[p] ? p > 0 : 4.0));
    CHECK_INT(m->clusters[graph->comm->rank], graph->comm->host_number);
    pen_machine_destroy(&m);
    CHECK_STATUS(pen_machine_open(graph->comm, "host", graph->comm->size + 1, &m), PEN_ERR_INPUT);
    CHECK_STATUS(pen_machine_open(graph->comm, "host,betwen=4", graph->comm->size, &m), PEN_ERR_INPUT);
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank() == 0) remove("machine_test.machine");
    if (check_rank() == 0) remove("machine_test.tgt");
}

/* Ranks are slowed down to the speeds of their machine, so a node's measured load is about the same on all of them. If
 * speeds did not count, it would be 4 times as much on slow ranks in each try; noise of a busy host affects only some
 * tries. */
static int slowness;

static void spin(const pen_view *v)
{
    volatile double sum = 0.0;
    for (int i = 0; i < 2000 * slowness; i++) sum = sum + 1.0 / (i + 1.0);
    PEN_NEXT(v, 0, cell)->heat = sum;
}

/* Equal on all ranks. */
static bool measures_alike(pen_graph *graph, bool last)
{
    static const pen_phase spins[] = { { "spin", .node = spin, .writes = PEN_SET(0) } };
    static const pen_app spinner = { .name = "spinner", PEN_FIELDS(fields), PEN_PHASES(spins), .init = init };
    const pen_run_options options = { .machine = "flat,speeds=4:1",
                                      .partitioner = "rcb",
                                      .balance = { "central", .when = "every:3:always" } };
    double loads[2] = { 0.0, 0.0 };
    slowness = check_rank() % 2 ? 4 : 1;
    pen_run *run = run_with(graph, &spinner, &options);
    for (int step = 0; step < 8; step++) {
        CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
        double mean = run->store->owned > 0 ? pen_loads_of(run)->total / run->store->owned : 0.0;
        loads[check_rank() % 2] = step > 0 ? fmin(loads[check_rank() % 2], mean) : mean;
    }
    for (int k = 0; k < 2; k++) loads[k] = check_rank() % 2 == k ? loads[k] : HUGE_VAL;
    MPI_Allreduce(MPI_IN_PLACE, loads, 2, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    pen_run_destroy(&run);
    const bool alike = graph->comm->size == 1 || (loads[1] < 3.0 * loads[0] && loads[0] < 3.0 * loads[1]);
    if (!alike && last) fprintf(stderr, "a node weighs %g on fast ranks, %g on slow ones\n", loads[0], loads[1]);
    return alike;
}

static void test_measured(pen_graph *graph)
{
    enum { TRIES = 10 };
    bool alike = false;
    for (int i = 0; i < TRIES && !alike; i++) alike = measures_alike(graph, i == TRIES - 1);
    CHECK(alike);
}

static void test_refused(pen_graph *graph)
{
    pen_run *run = NULL;
    pen_run_options options = { .machine = "flat,speeds=0" };
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &app, &options, &run), PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), "speeds must be numbers > 0");
    options.machine = "./no/such/file";
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &app, &options, &run), PEN_ERR_IO);
    CHECK_CONTAINS(pen_error_message(), "./no/such/file");
}

CHECKS()
{
    static const char *const balancers[] = { "central", "diffusive", "metis:ufactor=10", "scotch", "rcb", "sfc" };
    pen_graph *graph = graph_from("hex:96x64,coordinates");
    RUN(test_partitioners(graph, "flat,speeds=1:3"));
    RUN(test_partitioners(graph, "tree:4x4,costs=10:1,speeds=1:3"));
    for (int k = 0; k < (int)(sizeof balancers / sizeof *balancers); k++) RUN(test_run(graph, balancers[k]));
    RUN(test_measured(graph));
    RUN(test_named(graph));
    RUN(test_refused(graph));
    pen_graph_destroy(&graph);
}
