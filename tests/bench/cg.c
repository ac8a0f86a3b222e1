/* cg.c - an iteration of the application cg, as it is in apps/, over one of PETSc's KSPCG without a preconditioner: the
 * same matrix (AIJ), the same right-hand side, the default norm.
 *
 *     mpirun -n 2 cg_bench [--grid=WxH] [--comm=NAME] [--steps=N] [--samples=N]
 *
 * A sample is N iterations; PETSc begins each sample anew, with one product less, and cg goes on. A round takes
 * one sample of both, in turn. Printed are the times of an iteration (the slowest rank's) and the median over the
 * rounds of their ratio. Before that, |r| must be the same after each of the first N iterations, to 6 digits. */
#include "base/status.h"
#include "tests/bench/bench.h"
#include "tests/bench/cg_petsc.h"
#include "tests/bench/hand.h"
#include "tests/bench/step_apps.h"

#include <math.h>
#include <stdlib.h>

typedef struct bench {
    int64_t width, height, steps, samples;
    const char *transport;
    double sigma;
    hand *hand;
    petsc_cg *petsc; /* NULL where it is not there */
    pen_run *run;
    double *mine, *theirs; /* [samples] seconds per iteration */
} bench;

/* The application's own options. */
static double *real_option(const char *name)
{
    const pen_option *option = bench_kept.options;
    while (option->name && strcmp(option->name, name) != 0) option++;
    bench_require(option->name ? PEN_OK : PEN_ERR_INTERNAL, name);
    return (double *)option->value;
}

/* Local. r at first, which is the right-hand side, as the nodes are in the field. */
static double *right_hand_side(const bench *b)
{
    hand_view view = hand_look(b->hand);
    pen_local local = pen_run_local(b->run);
    double *right = bench_room(view.count);
    bench_require(local.count == view.count ? PEN_OK : PEN_ERR_INTERNAL, "nodes");
    for (pen_lid i = 0; i < local.count; i++) right[local.gids[i] - view.first] = ((const double *)local.fields[1])[i];
    return right;
}

/* The exit status: 1 where residuals differ. */
static int validate(const bench *b)
{
    double worst = 0.0;
    petsc_cg_solve(b->petsc, (int)b->steps);
    const double *theirs = petsc_cg_residuals(b->petsc);
    for (int64_t k = 0; k <= b->steps; k++) {
        double mine = sqrt(pen_run_observed_real(b->run, 0));
        worst = fmax(worst, fabs(mine - theirs[k]) / theirs[k]);
        if (k < b->steps) bench_require(pen_run_steps(b->run, 1), "cg");
    }
    if (bench_rank == 0)
        printf("|r| %g, after %" PRId64 " iterations %g; largest relative difference %.1e\n", theirs[0], b->steps,
               theirs[b->steps], worst);
    return !(worst < 1e-6);
}

static void measure(const bench *b)
{
    for (int64_t sample = 0; sample < b->samples; sample++) {
        b->mine[sample] = bench_steps(b->run, b->steps, "cg");
        if (!b->petsc) continue;
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        petsc_cg_solve(b->petsc, (int)b->steps);
        b->theirs[sample] = bench_slowest((MPI_Wtime() - start) / (double)b->steps);
    }
}

static void print_times(const bench *b, const char *name, const double *seconds)
{
    bench_summary s = bench_summarize(seconds, (int)b->samples);
    double ns_per_node = 1e9 / ((double)b->width * (double)b->height / bench_ranks);
    printf("%-16s %12.3f %12.3f %12.3f %14.3f\n", name, 1e6 * s.min, 1e6 * s.median, 1e6 * s.max,
           ns_per_node * s.median);
}

static void report(const bench *b)
{
    printf("hex %" PRId64 "x%" PRId64 ", sigma %g, transport %s, partitioner block; %" PRId64 " samples of %" PRId64
           " iterations\n",
           b->width, b->height, b->sigma, b->transport, b->samples, b->steps);
    printf("%-16s %12s %12s %12s %14s\n", "us per iteration", "min", "median", "max", "ns/node,rank");
    print_times(b, "cg", b->mine);
    if (!b->petsc) return;
    print_times(b, "petsc KSPCG", b->theirs);
    printf("cg over petsc: %.3f\n", bench_ratios(b->mine, b->theirs, (int)b->samples).median);
}

static int compare(bench *b)
{
    pen_graph *graph = NULL;
    pen_run_options options = { .partitioner = "block", .transport = b->transport };
    b->hand = hand_create((int)b->width, (int)b->height);
    bench_require(b->hand ? PEN_OK : PEN_ERR_MEMORY, "field");
    bench_require(generate_hex(MPI_COMM_WORLD, b->width, b->height, &graph), "graph");
    bench_cg_main(0, NULL);
    *real_option("tolerance") = 0.0; /* it is never done */
    b->sigma = *real_option("sigma");
    bench_require(pen_run_create(MPI_COMM_WORLD, graph, &bench_kept, &options, &b->run), "cg");
    pen_graph_destroy(&graph);
    double *right = right_hand_side(b);
    b->petsc = petsc_cg_create(b->hand, b->sigma, right, (int)b->steps);
    free(right);
    b->mine = bench_room(b->samples);
    b->theirs = bench_room(b->samples);
    int wrong = b->petsc ? validate(b) : 0;
    measure(b);
    if (bench_rank == 0) report(b);
    free(b->mine);
    free(b->theirs);
    petsc_cg_destroy(b->petsc);
    pen_run_destroy(&b->run);
    hand_destroy(b->hand);
    return wrong;
}

int main(int argc, char **argv)
{
    bench b = { .steps = 20, .samples = 21, .transport = "fence" };
    const char *grid = "1000x1000";
    const pen_option options[] = {
        { "grid", "WxH", "the field; H divisible by the ranks (1000x1000)", PEN_OPTION_TEXT, &grid, 0, 0 },
        { "comm", "NAME", "transport (fence)", PEN_OPTION_TEXT, &b.transport, 0, 0 },
        { "steps", "N", "iterations per sample (20)", PEN_OPTION_INT, &b.steps, 1, 100000 },
        { "samples", "N", "rounds (21)", PEN_OPTION_INT, &b.samples, 1, 100000 },
        { .name = NULL },
    };
    bench_start(argc, argv, options);
    bench_parse_bands(grid, &b.width, &b.height);
    int status = compare(&b);
    MPI_Finalize();
    return status;
}
