/* active.c - what it saves to leave out nodes whose result cannot change: runs with --active=auto beside runs with
 * --active=off, in turn.
 *
 *     mpirun -n 2 active_bench [--size=N] [--samples=N] [--only=TEXT]
 *
 * A row is a program on N x N nodes. Each sample computes it once in both ways; their checksums must be equal. Printed
 * are the times of all steps (processor time on one rank, else the slowest rank's wall time), and the median, smallest
 * and largest of the ratios off / auto. The last rows are the time of a step in which nothing changes, and, on more
 * than two ranks, a fire whose nodes take 20 us each: with --balancer=diffusive beside none, both with active sets. */
#include "tests/bench/bench.h"

#include <penumbra.h>

#include <math.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

static int64_t size = 1000, samples = 5;
static const char *only = "";
static bool prints; /* this is rank 0 */

/* ---- Programs ----------------------------------------------------------------------------------- */

static void init_paths(const pen_view *v) { *PEN_NEXT(v, 0, double) = pen_id(v) == 0 ? 0.0 : INFINITY; }
static void relax(const pen_view *v)
{
    double best = *PEN_SELF(v, 0, double);
    for (int32_t i = 0; i < pen_degree(v); i++) {
        const double over = *PEN_NEIGHBOR(v, 0, double, i) + 1.0;
        if (over < best) best = over;
    }
    *PEN_NEXT(v, 0, double) = best;
}
PEN_SWEEP(relax)
static void observe_paths(const pen_view *v, pen_observation *o)
{
    if (!isinf(*PEN_SELF(v, 0, double))) pen_observe_real(o, 0, *PEN_SELF(v, 0, double));
}
PEN_OBSERVE_SWEEP(observe_paths)

typedef struct cell {
    int32_t burns, fuel;
} cell;
static void init_fire(const pen_view *v) { *PEN_NEXT(v, 0, cell) = (cell){ pen_id(v) == 0, 3 }; }
static void burn(const pen_view *v)
{
    cell own = *PEN_SELF(v, 0, cell);
    if (own.burns && --own.fuel == 0) own.burns = 0;
    for (int32_t i = 0; own.fuel == 3 && !own.burns && i < pen_degree(v); i++)
        own.burns = PEN_NEIGHBOR(v, 0, cell, i)->burns;
    *PEN_NEXT(v, 0, cell) = own;
}
PEN_SWEEP(burn)

/* As a node that computes for long; it leaves the core to other ranks. */
static void burn_slowly(const pen_view *v)
{
    nanosleep(&(struct timespec){ 0, 20000 }, NULL);
    burn(v);
}

static void init_life(const pen_view *v) { *PEN_NEXT(v, 0, uint8_t) = pen_mix((uint64_t)pen_id(v)) % 3 == 0; }
static void live(const pen_view *v)
{
    int alive = 0;
    for (int32_t i = 0; i < pen_degree(v); i++) alive += *PEN_NEIGHBOR(v, 0, uint8_t, i);
    *PEN_NEXT(v, 0, uint8_t) = alive == 3 || (alive == 2 && *PEN_SELF(v, 0, uint8_t));
}
PEN_SWEEP(live)

enum { SUSCEPTIBLE, INFECTED, RECOVERED };
static void init_epidemic(const pen_view *v) { *PEN_NEXT(v, 0, int32_t) = pen_id(v) % 10000 == 0 ? INFECTED : 0; }
static void infect(const pen_view *v)
{
    const int32_t own = *PEN_SELF(v, 0, int32_t);
    int32_t ill = 0, next = own;
    if (own == INFECTED && pen_random_real(v, 1) < 0.1) next = RECOVERED;
    for (int32_t i = 0; own == SUSCEPTIBLE && i < pen_degree(v); i++)
        ill += *PEN_NEIGHBOR(v, 0, int32_t, i) == INFECTED;
    if (ill > 0 && pen_random_real(v, 0) < 1.0 - pow(0.96, ill)) next = INFECTED;
    *PEN_NEXT(v, 0, int32_t) = next;
}
PEN_SWEEP(infect)

typedef struct eight {
    double of[8];
} eight;
static void init_heat(const pen_view *v) { *PEN_NEXT(v, 0, double) = (double)(pen_id(v) % 1000); }
static void flow(const pen_view *v)
{
    double sum = 0.0;
    for (int32_t i = 0; i < pen_degree(v); i++) sum += *PEN_NEIGHBOR(v, 0, double, i);
    *PEN_NEXT(v, 0, double) = 0.5 * *PEN_SELF(v, 0, double) + 0.5 * sum / pen_degree(v);
}
PEN_SWEEP(flow)
static void init_eight(const pen_view *v)
{
    for (int m = 0; m < 8; m++) PEN_NEXT(v, 0, eight)->of[m] = (double)((pen_id(v) + m) % 1000);
}
static void flow_eight(const pen_view *v)
{
    eight sum = { { 0.0 } };
    for (int32_t i = 0; i < pen_degree(v); i++)
        for (int m = 0; m < 8; m++) sum.of[m] += PEN_NEIGHBOR(v, 0, eight, i)->of[m];
    for (int m = 0; m < 8; m++) PEN_NEXT(v, 0, eight)->of[m] = sum.of[m] / pen_degree(v);
}
PEN_SWEEP(flow_eight)

/* ---- Rows --------------------------------------------------------------------------------------- */

typedef struct row {
    const char *name, *graph; /* the graph's kind; "life": a torus with eight neighbours; its sides are appended */
    size_t bytes;
    pen_node_fn *init, *node;
    pen_observe_fn *observe;
    int64_t before, steps; /* steps before the clock starts; timed steps, 0: until the run is quiet */
    int64_t part;          /* the side of the grid is size / part */
    double limit;
} row;

static const row rows[] = {
    { "paths", "hex", sizeof(double), init_paths, relax_sweep, NULL, 0, 0, 1, 40.0 },
    { "paths, opaque", "hex", sizeof(double), init_paths, relax, NULL, 0, 0, 1, 40.0 },
    { "paths, a sum", "hex", sizeof(double), init_paths, relax_sweep, observe_paths_sweep, 0, 0, 1, 15.0 },
    { "fire", "hex", sizeof(cell), init_fire, burn_sweep, NULL, 0, 0, 1, 12.0 },
    { "life", "life", sizeof(uint8_t), init_life, live_sweep, NULL, 4000, 200, 2, 3.0 },
    { "epidemic", "random", sizeof(int32_t), init_epidemic, infect_sweep, NULL, 0, 250, 2, 1.3 },
    { "heat, 8 bytes", "hex", sizeof(double), init_heat, flow_sweep, NULL, 5, 40, 1, 0.98 },
    { "heat, 64 bytes", "hex", sizeof(eight), init_eight, flow_eight_sweep, NULL, 5, 20, 1, 0.98 },
    { "heat, 32x32", "hex", sizeof(double), init_heat, flow_sweep, NULL, 1000, 20000, 0, 0.98 },
};

static const row front = { "front, 20 us", "hex", sizeof(cell), init_fire, burn_slowly, NULL, 0, 0, 10, 0.6 };

/* A torus of cells with eight neighbours. */
static pen_graph *make_life(int64_t side)
{
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int64_t begin = side * side * rank / ranks, end = side * side * (rank + 1) / ranks, count = end - begin;
    pen_gid *gids = malloc((size_t)count * sizeof *gids), *neighbors = malloc(8 * (size_t)count * sizeof *gids);
    int64_t *starts = malloc((size_t)(count + 1) * sizeof *starts), at = 0;
    if (!gids || !neighbors || !starts) bench_require(PEN_ERR_MEMORY, "life");
    for (int64_t i = 0; i < count; i++) {
        gids[i] = begin + i;
        starts[i] = at;
        const int64_t x = (begin + i) % side, y = (begin + i) / side;
        for (int64_t k = 0; k < 9; k++)
            if (k != 4) neighbors[at++] = (y + side + k / 3 - 1) % side * side + (x + side + k % 3 - 1) % side;
    }
    starts[count] = at;
    pen_graph *graph = NULL;
    const pen_csr csr = { .count = (pen_lid)count, .gids = gids, .rows = starts, .neighbors = neighbors };
    bench_require(pen_graph_from_csr(MPI_COMM_WORLD, &csr, &graph), "life");
    free(gids);
    free(neighbors);
    free(starts);
    return graph;
}

static pen_graph *make_graph(const row *r)
{
    const int64_t side = r->part > 0 ? size / r->part : 32;
    char spec[128];
    pen_graph *graph = NULL;
    if (strcmp(r->graph, "life") == 0) return make_life(side);
    if (strcmp(r->graph, "random") == 0) snprintf(spec, sizeof spec, "random:nodes=%" PRId64 ",degree=10", side * side);
    else snprintf(spec, sizeof spec, "%s:%" PRId64 "x%" PRId64, r->graph, side, side);
    bench_require(pen_graph_generate(MPI_COMM_WORLD, spec, &graph), spec);
    return graph;
}

static double seconds_now(bool alone)
{
    struct timespec now;
    clock_gettime(alone ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The seconds of a row's steps, or of a step in which nothing changes; *sum: the checksum. */
static double compute(const row *r, pen_active active, const char *transport, const char *balancer, bool idle,
                      uint64_t *sum, int64_t *steps)
{
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const pen_field fields[] = { { "record", r->bytes, .plain = true } };
    const pen_phase phases[] = { { "phase", r->node, .reads = PEN_SET(0), .writes = PEN_SET(0) } };
    const pen_observable sums[] = { { "sum", PEN_SUM_REAL, 1 } };
    const pen_app app = { .name = r->name,
                          PEN_FIELDS(fields),
                          PEN_PHASES(phases),
                          .init = r->init,
                          .observe = r->observe,
                          .observables = { sums, r->observe != NULL } };
    const pen_run_options options = { .active = active,
                                      .transport = transport,
                                      .balance.balancer = balancer,
                                      .seed = 1,
                                      .until = r->steps == 0 && !idle ? "quiet" : NULL };
    pen_graph *graph = make_graph(r);
    pen_run *run = NULL;
    bench_require(pen_run_create(MPI_COMM_WORLD, graph, &app, &options, &run), r->name);
    pen_graph_destroy(&graph);
    const int64_t count = idle ? 100000 : r->steps ? r->steps : PEN_UNLIMITED;
    bench_require(pen_run_steps(run, idle ? 3 * size : r->before), r->name);
    const int64_t begun = pen_run_step(run);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = seconds_now(ranks == 1);
    bench_require(pen_run_steps(run, count), r->name);
    const double all = bench_slowest(seconds_now(ranks == 1) - begin);
    *steps = pen_run_step(run) - begun;
    bench_require(pen_run_checksum(run, sum), r->name);
    pen_run_destroy(&run);
    return idle ? all / (double)count : all;
}

enum { MOST = 64 };

static bool measure(const row *r)
{
    double off[MOST], automatic[MOST];
    uint64_t sums[2];
    int64_t steps = 0;
    for (int i = 0; i < samples; i++) {
        off[i] = compute(r, PEN_ACTIVE_OFF, NULL, NULL, false, &sums[0], &steps);
        automatic[i] = compute(r, PEN_ACTIVE_AUTO, NULL, NULL, false, &sums[1], &steps);
        if (sums[0] != sums[1]) fprintf(stderr, "%s: the checksums differ\n", r->name);
        if (sums[0] != sums[1]) return false;
    }
    const bench_summary ratio = bench_ratios(off, automatic, (int)samples);
    if (prints)
        printf("%-16s %8" PRId64 "  %10.6f  %10.6f  %7.3f (%.3f to %.3f)  %g\n", r->name, steps,
               bench_summarize(off, (int)samples).median, bench_summarize(automatic, (int)samples).median, ratio.median,
               ratio.min, ratio.max, r->limit);
    return true;
}

static void measure_idle(const char *transport, double limit)
{
    double times[MOST];
    uint64_t sum;
    int64_t steps;
    for (int i = 0; i < samples; i++)
        times[i] = 1e6 * compute(&rows[0], PEN_ACTIVE_AUTO, transport, NULL, true, &sum, &steps);
    const bench_summary time = bench_summarize(times, (int)samples);
    if (prints)
        printf("idle, %-10s %45.3f (%.3f to %.3f) us  %g us\n", transport, time.median, time.min, time.max, limit);
}

static void measure_front(void)
{
    double none[MOST], balanced[MOST];
    uint64_t sum;
    int64_t steps = 0;
    prctl(PR_SET_TIMERSLACK, 1000);
    for (int i = 0; i < samples; i++) {
        none[i] = compute(&front, PEN_ACTIVE_AUTO, NULL, NULL, false, &sum, &steps);
        balanced[i] = compute(&front, PEN_ACTIVE_AUTO, NULL, "diffusive", false, &sum, &steps);
    }
    const bench_summary ratio = bench_ratios(balanced, none, (int)samples);
    if (prints)
        printf("%-16s %8" PRId64 "  %10.6f  %10.6f  %7.3f (%.3f to %.3f)  %g: none, diffusive, diffusive / none\n",
               front.name, steps, bench_summarize(none, (int)samples).median,
               bench_summarize(balanced, (int)samples).median, ratio.median, ratio.min, ratio.max, front.limit);
}

int main(int argc, char **argv)
{
    const pen_option options[] = {
        { "size", "N", "programs have N x N nodes (1000)", PEN_OPTION_INT, &size, 8, 1 << 14 },
        { "samples", "N", "samples of a row (5)", PEN_OPTION_INT, &samples, 1, MOST },
        { "only", "TEXT", "only rows with this in their names", PEN_OPTION_TEXT, &only, 0, 0 },
        { .name = NULL }
    };
    int ranks, rank;
    bool equal = true;
    if (bench_start(argc, argv, options)) {
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        prints = rank == 0;
        if (prints) bench_print_setting("active_bench", ranks);
        if (prints)
            printf("%d x %d nodes; seconds with --active=off, with auto; off / auto; limit\n", (int)size, (int)size);
        for (int i = 0; i < PEN_COUNT_OF(rows); i++)
            if (strstr(rows[i].name, only)) equal = measure(&rows[i]) && equal;
        if (strstr("idle", only)) measure_idle("shared", ranks == 1 ? 0.2 : 2.0);
        if (strstr("idle", only) && ranks > 1) measure_idle("fence", 5.0);
        if (strstr(front.name, only) && ranks > 2) measure_front();
    }
    MPI_Finalize();
    return !equal;
}
