/* step.c - the cost of a whole step: the applications hex (without grain) and heat as they are in apps/, and the
 * sweep of bench.c, on each transport, over the same computation written by hand with MPI (hand.c), and over
 * PETSc's MatMult with the same matrix where PETSc was found.
 *
 *     mpirun -n 2 step_bench [--grid=WxH] [--comm=NAME,NAME...] [--steps=N] [--samples=N]
 *
 * A sample is N steps; a round takes one sample of every variant, in turn. Printed are the time of a step
 * (the slowest rank's), and the medians over the rounds of its ratio to, and difference from, the
 * hand-written one. All variants must agree bit for bit (PETSc, which multiplies by reciprocals, to 12
 * digits): after each of the first three steps, since averaging forgets, and in the end. */
#include "apps/average.h"
#include "base/status.h"
#include "tests/bench/bench.h"
#include "tests/bench/hand.h"
#include "tests/bench/step_apps.h"
#include "tests/bench/step_petsc.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_TRANSPORTS = 16, APPLICATIONS = 3, MAX_VARIANTS = 2 + APPLICATIONS * MAX_TRANSPORTS };

/* ---- The applications -------------------------------------------------------------------------- */

/* heat begins with values of its own, which would be no others than 0 nearly everywhere. */
static pen_app application(int which)
{
    if (which == 0) return bench_app;
    (void)(which == 1 ? pen_average_main("hex", NULL, 0, NULL) : bench_heat_main(0, NULL));
    bench_kept.init = bench_app.init;
    return bench_kept;
}

/* ---- Variants --------------------------------------------------------------------------------- */

typedef struct variant {
    char name[64];
    pen_run *run;    /* NULL: hand or petsc */
    double *seconds; /* [samples] per step */
} variant;

typedef struct bench {
    int64_t width, height, steps, samples;
    hand *hand;
    petsc_peer *petsc; /* NULL where it is not there */
    pen_app apps[APPLICATIONS];
    variant variants[MAX_VARIANTS];
    int count;
} bench;

static void advance(const bench *b, const variant *v, int64_t steps)
{
    if (v->run) bench_require(pen_run_steps(v->run, steps), v->name);
    else if (v == &b->variants[0]) hand_steps(b->hand, steps);
    else petsc_peer_steps(b->petsc, steps);
}

static variant *add_variant(bench *b, const char *transport, const char *name)
{
    variant *v = &b->variants[b->count++];
    snprintf(v->name, sizeof v->name, "%s%s%s", transport, *transport ? " " : "", name);
    v->seconds = bench_room(b->samples);
    return v;
}

static void add_runs(bench *b, const pen_graph *graph, char *transports)
{
    for (int i = 0; i < APPLICATIONS; i++) b->apps[i] = application(i);
    for (char *name = strtok(transports, ","); name && b->count + APPLICATIONS < MAX_VARIANTS; name = strtok(NULL, ","))
        for (int i = 0; i < APPLICATIONS; i++) {
            pen_run_options options = { .partitioner = "block", .transport = name };
            pen_run **run = &add_variant(b, name, b->apps[i].name)->run;
            bench_require(pen_run_create(MPI_COMM_WORLD, graph, &b->apps[i], &options, run), name);
        }
}

static void measure(bench *b)
{
    int64_t warm_up = b->steps / 4 + 1;
    for (int i = 0; i < b->count; i++) advance(b, &b->variants[i], warm_up);
    for (int64_t sample = 0; sample < b->samples; sample++)
        for (int i = 0; i < b->count; i++) {
            MPI_Barrier(MPI_COMM_WORLD);
            double start = MPI_Wtime();
            advance(b, &b->variants[i], b->steps);
            b->variants[i].seconds[sample] = (MPI_Wtime() - start) / (double)b->steps;
        }
    for (int i = 0; i < b->count; i++)
        MPI_Allreduce(MPI_IN_PLACE, b->variants[i].seconds, (int)b->samples, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

/* ---- Validation ------------------------------------------------------------------------------- */

static int64_t differences(const bench *b, const variant *v)
{
    hand_view h = hand_look(b->hand);
    pen_local local = pen_run_local(v->run);
    const double *values = (const double *)local.fields[0];
    int64_t different = local.count != h.count;
    for (pen_lid i = 0; i < local.count; i++) {
        int64_t at = local.gids[i] - h.first;
        different += at < 0 || at >= h.count || memcmp(&values[i], &h.values[at], sizeof *values) != 0;
    }
    return different;
}

/* The exit status: 1 where anything differs. */
static int validate(const bench *b)
{
    int wrong = 0;
    for (int i = 1; i < b->count; i++) {
        const variant *v = &b->variants[i];
        int64_t different = v->run ? differences(b, v) : petsc_peer_error(b->petsc, b->hand) > 1e-12;
        MPI_Allreduce(MPI_IN_PLACE, &different, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
        if (different > 0 && bench_rank == 0) fprintf(stderr, "%s: %" PRId64 " values differ\n", v->name, different);
        wrong |= different > 0;
    }
    return wrong;
}

static void report(const bench *b)
{
    double ns_per_node = 1e9 / ((double)b->width * (double)b->height / bench_ranks);
    printf("hex %" PRId64 "x%" PRId64 ", one double per node, partitioner block; %" PRId64 " samples of %" PRId64
           " steps\n",
           b->width, b->height, b->samples, b->steps);
    printf("%-16s %12s %12s %12s %14s %10s %12s\n", "us per step", "min", "median", "max", "ns/node,rank", "over hand",
           "minus hand");
    for (int i = 0; i < b->count; i++) {
        const variant *v = &b->variants[i];
        bench_summary s = bench_summarize(v->seconds, (int)b->samples);
        bench_summary ratio = bench_ratios(v->seconds, b->variants[0].seconds, (int)b->samples);
        bench_summary difference = bench_differences(v->seconds, b->variants[0].seconds, (int)b->samples);
        printf("%-16s %12.3f %12.3f %12.3f %14.3f %10.3f %12.3f\n", v->name, 1e6 * s.min, 1e6 * s.median, 1e6 * s.max,
               ns_per_node * s.median, ratio.median, 1e6 * difference.median);
    }
}

static int compare(bench *b, char *transports)
{
    pen_graph *graph = NULL;
    b->hand = hand_create((int)b->width, (int)b->height);
    bench_require(b->hand ? PEN_OK : PEN_ERR_MEMORY, "hand-written");
    add_variant(b, "", "hand-written");
    bench_require(generate_hex(MPI_COMM_WORLD, b->width, b->height, &graph), "graph");
    add_runs(b, graph, transports);
    pen_graph_destroy(&graph);
    b->petsc = petsc_peer_create(b->hand);
    if (b->petsc) add_variant(b, "", "petsc MatMult");
    int wrong = validate(b);
    for (int step = 0; step < 3; step++) {
        for (int i = 0; i < b->count; i++) advance(b, &b->variants[i], 1);
        wrong |= validate(b);
    }
    measure(b);
    wrong |= validate(b);
    if (bench_rank == 0) report(b);
    for (int i = 0; i < b->count; i++) {
        pen_run_destroy(&b->variants[i].run);
        free(b->variants[i].seconds);
    }
    petsc_peer_destroy(b->petsc);
    hand_destroy(b->hand);
    return wrong;
}

int main(int argc, char **argv)
{
    bench b = { .steps = 0, .samples = 21 };
    const char *grid = "1000x1000", *comm = "fence";
    const pen_option options[] = {
        { "grid", "WxH", "the field; H divisible by the ranks (1000x1000)", PEN_OPTION_TEXT, &grid, 0, 0 },
        { "comm", "NAMES", "transports, separated by commas (fence)", PEN_OPTION_TEXT, &comm, 0, 0 },
        { "steps", "N", "steps per sample (as many as make some 20 ms)", PEN_OPTION_INT, &b.steps, 1, INT32_MAX },
        { "samples", "N", "rounds (21)", PEN_OPTION_INT, &b.samples, 1, 100000 },
        { .name = NULL },
    };
    char transports[256];
    bench_start(argc, argv, options);
    bench_parse_bands(grid, &b.width, &b.height);
    if (b.steps == 0) b.steps = 1 + (int64_t)(20e-3 / (1e-6 + 2e-9 * (double)(b.width * b.height) / bench_ranks));
    snprintf(transports, sizeof transports, "%s", comm);
    int status = compare(&b, transports);
    MPI_Finalize();
    return status;
}
