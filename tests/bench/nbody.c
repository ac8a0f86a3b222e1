/* nbody.c - what a step of the application nbody takes, tree rebuilt, over a fast serial computation of the same
 * (nbody_serial.h), divided by the number of ranks.
 *
 *     mpirun -n 2 nbody_bench [--bodies=N] [--cell-max=N] [--delta=X] [--seed=S] [--steps=N] [--blocks=N] [--comm=NAME]
 *                             [--balancer=NAME]
 *
 * Both do the same steps on the same bodies, in blocks that alternate, the serial one on rank 0 while others wait. They
 * must agree to the bit with each other and with the tests' oracle after the steps before the first block. */
#include "tests/bench/bench.h"
#include "tests/bench/nbody_serial.h"
#include "tests/support/nbody_oracle.h"

#include <unistd.h>

enum { WARM = 2 };

static void fail(const char *what)
{
    fprintf(stderr, "nbody_bench: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static double difference(const double *a, double b) { return memcmp(a, &b, sizeof b) != 0; }

/* All bodies' bits. */
static void compare_serial(const serial *s, const oracle *o)
{
    serial_view v = serial_look(s);
    double differences = 0.0;
    for (int64_t i = 0; i < o->count; i++) {
        differences += difference(&v.potential[i], o->potentials[i]);
        for (int k = 0; k < 3; k++)
            differences += difference(&v.place[k][i], o->bodies[i].place[k]) +
                           difference(&v.velocity[k][i], o->bodies[i].velocity[k]) +
                           difference(&v.acceleration[k][i], o->accelerations[i][k]);
    }
    if (o->wrong[0] || differences > 0.0) fail("the serial computation differs from the oracle");
}

static void compare_dump(const char *path, const oracle *o)
{
    char *expected = oracle_dump(o);
    size_t size = strlen(expected);
    char *found = malloc(size + 2);
    FILE *in = fopen(path, "r");
    if (!found || !in || fread(found, 1, size + 1, in) != size || memcmp(found, expected, size) != 0)
        fail("the application's dump differs from the oracle's");
    fclose(in);
    free(found);
    free(expected);
}

/* Behind the first steps of both. */
static void validate(const nbody *settings, pen_run *run, const serial *s)
{
    char path[300];
    int rank, process = (int)getpid();
    MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(path, sizeof path, "%s/nbody_bench.%d", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", process);
    bench_require(pen_run_dump(run, path), "dump");
    if (rank != 0) return;
    oracle o = oracle_create(settings, &settings->set);
    for (int i = 0; i < WARM; i++) oracle_step(&o);
    compare_serial(s, &o);
    compare_dump(path, &o);
    unlink(path);
    serial_view v = serial_look(s);
    double leaves = (double)v.leaves;
    printf("%" PRId64 " leaves, each with %.1f far cells and %.1f close leaves; all bits agree\n", v.leaves,
           (double)v.far / leaves, (double)v.close / leaves);
    oracle_free(&o);
}

/* Seconds per step, on rank 0. */
static double time_serial(serial *s, int64_t steps)
{
    bool going = true;
    double start = MPI_Wtime();
    for (int64_t i = 0; s && i < steps; i++) going = going && serial_step(s);
    double seconds = (MPI_Wtime() - start) / (double)steps;
    if (!going) fail("the bodies do not stay where a tree can hold them");
    MPI_Barrier(MPI_COMM_WORLD);
    return s ? seconds : 0.0;
}

static void print_line(const char *name, const double *seconds, int count)
{
    bench_summary t = bench_summarize(seconds, count);
    printf("%-32s %9.2f %9.2f %9.2f\n", name, 1e3 * t.min, 1e3 * t.median, 1e3 * t.max);
}

static void measure(pen_run *run, serial *s, int64_t steps, int blocks, int ranks)
{
    double *app = bench_room(blocks), *alone = bench_room(blocks), *share = bench_room(blocks);
    for (int i = 0; i < blocks; i++) {
        alone[i] = bench_slowest(time_serial(s, steps));
        app[i] = bench_steps(run, steps, "steps");
        share[i] = alone[i] / ranks;
    }
    if (s) {
        bench_summary a = bench_summarize(app, blocks), b = bench_summarize(share, blocks);
        bench_summary ratio = bench_ratios(app, share, blocks);
        printf("%-32s %9s %9s %9s\n", "ms per step", "min", "median", "max");
        print_line("application", app, blocks);
        print_line("serial", alone, blocks);
        printf("application / (serial / %d ranks): %.3f of the least, median %.3f (%.3f to %.3f)\n", ranks,
               a.min / b.min, ratio.median, ratio.min, ratio.max);
    }
    free(app);
    free(alone);
    free(share);
}

static pen_run *start(nbody *s, const pen_app *app, char **arguments, int count, pen_options **options)
{
    pen_graph *graph = NULL;
    pen_run *run = NULL;
    bench_require(pen_options_parse(app, count, arguments, options), "options");
    bench_require(pen_options_graph(*options, MPI_COMM_WORLD, &graph), "graph");
    bench_require(pen_options_create_run(*options, MPI_COMM_WORLD, graph, &run), "run");
    pen_graph_destroy(&graph);
    s->cube = s->half;
    return run;
}

int main(int argc, char **argv)
{
    nbody settings = NBODY_DEFAULTS;
    const char *transport = "fence", *balancer = "none";
    int64_t seed = 1, steps = 5, blocks = 7;
    const pen_option table[] = {
        { "bodies", "N", "bodies (16384), or a file of them", PEN_OPTION_TEXT, (void *)&settings.bodies, 0, 0 },
        { "cell-max", "N", "bodies in a leaf (16)", PEN_OPTION_INT, &settings.cell_max, 1, NBODY_MOST },
        { "delta", "X", "what is close (0.7)", PEN_OPTION_REAL, &settings.delta, 0, 0 },
        { "seed", "S", "of the bodies (1)", PEN_OPTION_INT, &seed, 0, INT64_MAX },
        { "steps", "N", "steps in a block (5)", PEN_OPTION_INT, &steps, 1, 10000 },
        { "blocks", "N", "blocks of each (7)", PEN_OPTION_INT, &blocks, 1, 1000 },
        { "comm", "NAME", "transport (fence)", PEN_OPTION_TEXT, (void *)&transport, 0, 0 },
        { "balancer", "NAME", "balancer (none)", PEN_OPTION_TEXT, (void *)&balancer, 0, 0 },
        { .name = NULL },
    };
    bench_start(argc, argv, table);
    char words[4][300];
    snprintf(words[0], sizeof words[0], "nbody_bench");
    snprintf(words[1], sizeof words[1], "--seed=%" PRId64, seed);
    snprintf(words[2], sizeof words[2], "--comm=%s", transport);
    snprintf(words[3], sizeof words[3], "--balancer=%s", balancer);
    char *arguments[] = { words[0], words[1], words[2], words[3], NULL };
    const pen_app app = pen_nbody_app(&settings);
    pen_options *options = NULL;
    pen_run *run = start(&settings, &app, arguments, 4, &options);
    serial *s = bench_rank == 0 ? serial_create(&settings, &settings.set) : NULL;
    if (bench_rank == 0) {
        printf("%" PRId64 " bodies, seed %" PRId64 ", cell-max %" PRId64 ", delta %g, dt %g, softening %g, --comm=%s"
               " --balancer=%s, %" PRId64 " blocks of %" PRId64 " steps\n",
               settings.set.count, seed, settings.cell_max, settings.delta, settings.dt, settings.softening, transport,
               balancer, blocks, steps);
    }
    bench_require(pen_run_steps(run, WARM), "steps");
    time_serial(s, WARM);
    validate(&settings, run, s);
    measure(run, s, steps, (int)blocks, bench_ranks);
    if (s) serial_free(s);
    pen_run_destroy(&run);
    pen_options_destroy(&options);
    pen_nbody_free(&settings);
    return MPI_Finalize();
}
