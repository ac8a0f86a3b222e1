/* active.c - what active sets cost programs that gain nothing by them: runs with --active=auto beside runs with
 * --active=off, in turn. What others gain is in queue.c.
 *
 *     mpirun -n 2 active_bench [--size=N] [--samples=N] [--only=TEXT]
 *
 * A row is a program on N x N nodes, or as many as it says. Checksums must be equal. Printed are the times of all steps
 * (processor time on one rank, else the slowest rank's wall time), and the median, smallest and largest of the ratios
 * off / auto. The other rows are the time of a step in which nothing changes, and, on more than two ranks, a fire on
 * N/10 x N/10 nodes that take 20 us each: with --balancer=diffusive, without, and the ratios of these. */
#include "tests/bench/bench.h"

#include <sys/prctl.h>
#include <time.h>

static int64_t size = 1000, samples = 5;
static const char *only = "";
static bool prints; /* this is rank 0 */

/* ---- Programs ----------------------------------------------------------------------------------- */

/* As a node of bench_front_app that computes for long; it leaves the core to other ranks. */
static void burn_slowly(const pen_view *v)
{
    nanosleep(&(struct timespec){ 0, 20000 }, NULL);
    bench_front_app.phases.list[0].node(v);
}

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

/* A program in which all nodes change in all steps. */
typedef struct row {
    const char *name;
    size_t bytes;
    pen_node_fn *init;
    pen_sweep_fn *sweep;
    int64_t before, steps; /* steps before the clock starts; timed steps */
    int64_t side;          /* of the grid; 0: --size */
} row;

static const row rows[] = {
    { "heat, 8 bytes", sizeof(double), init_heat, flow_sweep, 5, 40, 0 },
    { "heat, 64 bytes", sizeof(eight), init_eight, flow_eight_sweep, 5, 20, 0 },
    { "heat, 32x32", sizeof(double), init_heat, flow_sweep, 1000, 20000, 32 },
};

static double seconds_now(bool alone)
{
    struct timespec now;
    clock_gettime(alone ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The seconds of `steps` steps after `before` others; 0 steps: until nothing changes. *sum: the checksum. */
static double compute(const pen_app *app, int64_t side, const pen_run_options *options, int64_t before, int64_t *steps,
                      uint64_t *sum)
{
    char spec[64];
    int ranks;
    pen_graph *graph = NULL;
    pen_run *run = NULL;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    snprintf(spec, sizeof spec, "hex:%" PRId64 "x%" PRId64, side, side);
    bench_require(pen_graph_generate(MPI_COMM_WORLD, spec, &graph), spec);
    bench_require(pen_run_create(MPI_COMM_WORLD, graph, app, options, &run), app->name);
    pen_graph_destroy(&graph);
    bench_require(pen_run_steps(run, before), app->name);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = seconds_now(ranks == 1);
    bench_require(pen_run_steps(run, *steps > 0 ? *steps : PEN_UNLIMITED), app->name);
    const double all = bench_slowest(seconds_now(ranks == 1) - begin);
    *steps = pen_run_step(run) - before;
    bench_require(pen_run_checksum(run, sum), app->name);
    pen_run_destroy(&run);
    return all;
}

enum { MOST = 64 };

/* Print a row of two ways to compute, and the ratios of their times, a / b. */
static void print_ratio(const char *name, int64_t steps, const double *a, const double *b, double limit)
{
    const bench_summary ratio = bench_ratios(a, b, (int)samples);
    if (prints)
        printf("%-16s %8" PRId64 "  %10.6f  %10.6f  %7.3f (%.3f to %.3f)  %g\n", name, steps,
               bench_summarize(a, (int)samples).median, bench_summarize(b, (int)samples).median, ratio.median,
               ratio.min, ratio.max, limit);
}

static bool measure(const row *r)
{
    const pen_field fields[] = { { "record", r->bytes, .plain = true } };
    const pen_phase phases[] = { { "phase", .sweep = r->sweep, .reads = PEN_SET(0), .writes = PEN_SET(0) } };
    const pen_app app = { .name = r->name, PEN_FIELDS(fields), PEN_PHASES(phases), .init = r->init };
    const pen_run_options all = { .active = PEN_ACTIVE_OFF };
    const int64_t side = r->side > 0 ? r->side : size;
    double off[MOST], automatic[MOST];
    uint64_t sums[2];
    int64_t steps = r->steps;
    for (int i = 0; i < samples; i++) {
        off[i] = compute(&app, side, &all, r->before, &steps, &sums[0]);
        automatic[i] = compute(&app, side, NULL, r->before, &steps, &sums[1]);
        if (sums[0] != sums[1]) fprintf(stderr, "%s: the checksums differ\n", r->name);
        if (sums[0] != sums[1]) return false;
    }
    print_ratio(r->name, steps, off, automatic, 0.98);
    return true;
}

/* After 3 * size steps the fire has burned out, and nothing changes. */
static void measure_idle(const char *transport, double limit)
{
    const pen_run_options options = { .transport = transport };
    double times[MOST];
    uint64_t sum;
    int64_t steps = 100000;
    for (int i = 0; i < samples; i++)
        times[i] = 1e6 * compute(&bench_front_app, size, &options, 3 * size, &steps, &sum) / (double)steps;
    const bench_summary time = bench_summarize(times, (int)samples);
    if (prints)
        printf("idle, %-10s %45.3f (%.3f to %.3f) us  %g us\n", transport, time.median, time.min, time.max, limit);
}

static bool measure_front(void)
{
    const pen_run_options none = { .until = "quiet" },
                          diffusive = { .until = "quiet", .balance.balancer = "diffusive" };
    pen_phase phase = bench_front_app.phases.list[0];
    pen_app app = bench_front_app;
    double alone[MOST], balanced[MOST];
    uint64_t sums[2];
    int64_t steps = 0;
    phase.node = burn_slowly;
    app.phases.list = &phase;
    prctl(PR_SET_TIMERSLACK, 1000);
    for (int i = 0; i < samples; i++) {
        steps = 0;
        alone[i] = compute(&app, size / 10, &none, 0, &steps, &sums[0]);
        steps = 0;
        balanced[i] = compute(&app, size / 10, &diffusive, 0, &steps, &sums[1]);
        if (sums[0] != sums[1]) fprintf(stderr, "front: the checksums differ\n");
        if (sums[0] != sums[1]) return false;
    }
    print_ratio("front, 20 us", steps, balanced, alone, 0.6);
    return true;
}

int main(int argc, char **argv)
{
    const pen_option options[] = {
        { "size", "N", "programs have N x N nodes (1000)", PEN_OPTION_INT, &size, 8, 1 << 14 },
        { "samples", "N", "samples of a row (5)", PEN_OPTION_INT, &samples, 1, MOST },
        { "only", "TEXT", "only rows with this in their names", PEN_OPTION_TEXT, &only, 0, 0 },
        { .name = NULL }
    };
    bool equal = true;
    bench_start(argc, argv, options);
    prints = bench_rank == 0;
    if (prints)
        printf("%d x %d nodes; seconds with --active=off, with auto; off / auto; limit\n", (int)size, (int)size);
    for (int i = 0; i < PEN_COUNT_OF(rows); i++)
        if (strstr(rows[i].name, only)) equal = measure(&rows[i]) && equal;
    if (strstr("idle", only)) measure_idle("shared", bench_ranks == 1 ? 0.2 : 2.0);
    if (strstr("idle", only) && bench_ranks > 1) measure_idle("fence", 5.0);
    if (strstr("front", only) && bench_ranks > 2) equal = measure_front() && equal;
    MPI_Finalize();
    return !equal;
}
