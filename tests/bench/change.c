/* change.c - what a modify phase costs beyond its sweep: the application shock, whose graph changes in every step.
 *
 *     mpirun -n 2 change_bench [--grid=WxH] [--depth=D] [--steps=N] [--comm=NAME]
 *
 * In each of N steps, on a mesh and on one of twice the columns: what the phase takes behind its sweep where things
 * change; what a linear pass takes there, the mean of two migrations that move one node from each rank to the next one
 * and back; and the same for a field of as many hexagons as the mesh has coarse cells, as migrate_bench has them.
 * Printed are the slowest rank's, and what a change takes beyond 1.3 passes over the hexagons, in microseconds per
 * changed cell of a rank. Then, of runs where nobody asks for anything, how long it takes to find that out, over an
 * all-reduce of one word. The run must pass its own check of mass and area in every step. */
#include "apps/shock/shock.h"
#include "base/memory.h"
#include "observe/timers.h"
#include "run/apply_change.h"
#include "tests/bench/bench.h"

#include <stdlib.h>

enum { GRIDS = 2, WARM = 2 };

/* One grid's figures, [steps] each, in seconds. */
typedef struct figures {
    double *change, *pass, *hexagons;
    double changed; /* cells of a rank and step */
} figures;

/* Seconds of the slowest rank. */
static double time_pass(pen_run *run)
{
    const int rank = run->comm->rank, size = run->comm->size;
    double total = 0.0;
    for (int back = 0; back < 2; back++) {
        /* Interior nodes, so that plans stay as they are. */
        pen_gid gid = run->store->gids[run->store->owned - 1];
        pen_move move = { gid, (rank + 1) % size };
        double start = pen_seconds_now();
        bench_require(pen_run_migrate(run, PEN_OK, run->store->owned > 0, &move), "migration");
        total += bench_slowest(pen_seconds_now() - start);
    }
    return total / 2.0;
}

static double time_change(pen_run *run)
{
    uint64_t before = run->changed.ticks;
    bench_require(pen_run_steps(run, 1), "step");
    return bench_slowest((double)(run->changed.ticks - before) * pen_timers_scale(&run->timers));
}

static pen_run *start_hexagons(int64_t width, int64_t height, const char *transport)
{
    pen_graph *graph = NULL;
    pen_run *run = NULL;
    const pen_run_options options = { .partitioner = "block", .transport = transport };
    bench_require(generate_hex(MPI_COMM_WORLD, width, height, &graph), "hexagons");
    bench_require(pen_run_create(MPI_COMM_WORLD, graph, &bench_app, &options, &run), "run of hexagons");
    pen_graph_destroy(&graph);
    return run;
}

static pen_run *start_mesh(const pen_app *app, int64_t width, int64_t height, const char *transport)
{
    char spec[64];
    pen_graph *graph = NULL;
    pen_run *run = NULL;
    const pen_run_options options = { .partitioner = "block", .transport = transport };
    snprintf(spec, sizeof spec, "mesh:%" PRId64 "x%" PRId64, width, height);
    bench_require(pen_graph_generate(MPI_COMM_WORLD, spec, &graph), "mesh");
    bench_require(pen_run_create(MPI_COMM_WORLD, graph, app, &options, &run), "run of the mesh");
    pen_graph_destroy(&graph);
    return run;
}

static figures measure(const pen_app *app, int64_t width, int64_t height, const char *transport, int64_t steps)
{
    figures f = { bench_room(steps), bench_room(steps), bench_room(steps), 0.0 };
    pen_run *cells = start_mesh(app, width, height, transport), *hexagons = start_hexagons(width, height, transport);
    for (int64_t i = -WARM; i < steps; i++) { /* the first steps refine, and make larger windows */
        int64_t before = cells->changed.added + cells->changed.removed;
        double change = time_change(cells), pass = time_pass(cells), other = time_pass(hexagons);
        if (i < 0) continue;
        f.change[i] = change;
        f.pass[i] = pass;
        f.hexagons[i] = other;
        f.changed += (double)(cells->changed.added + cells->changed.removed - before) / (double)steps /
                     cells->comm->size;
    }
    pen_run_destroy(&cells);
    pen_run_destroy(&hexagons);
    return f;
}

/* Nobody asks: seconds for finding that out, over those of an all-reduce. */
static bench_summary measure_nothing(const pen_app *app, const char *transport)
{
    enum { ROUNDS = 21, TIMES = 1000 };
    double asked[ROUNDS], reduced[ROUNDS];
    pen_run *run = start_mesh(app, 40, 40, transport);
    for (int i = 0; i < ROUNDS; i++) {
        bool any;
        int mine = 0, all;
        double start = pen_seconds_now();
        for (int k = 0; k < TIMES; k++) bench_require(pen_run_asked(run, &any), "asking");
        double middle = pen_seconds_now();
        for (int k = 0; k < TIMES; k++) MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_BOR, run->comm->mpi);
        asked[i] = bench_slowest(middle - start);
        reduced[i] = bench_slowest(pen_seconds_now() - middle);
    }
    pen_run_destroy(&run);
    return bench_ratios(asked, reduced, ROUNDS);
}

static void print_line(const char *name, const double *values, int64_t count, double scale)
{
    bench_summary s = bench_summarize(values, (int)count);
    printf("  %-42s %9.3f %9.3f %9.3f\n", name, scale * s.min, scale * s.median, scale * s.max);
}

static void report(const figures *f, int64_t width, int64_t height, int64_t steps)
{
    double *beyond = bench_room(steps);
    for (int64_t i = 0; i < steps; i++) beyond[i] = (f->change[i] - 1.3 * f->hexagons[i]) / f->changed;
    printf("mesh %" PRId64 "x%" PRId64 ": %.0f cells of a rank added and removed in a step\n", width, height,
           f->changed);
    printf("  %-42s %9s %9s %9s\n", "", "min", "median", "max");
    print_line("change, ms", f->change, steps, 1e3);
    print_line("linear pass of the mesh, ms", f->pass, steps, 1e3);
    print_line("linear pass of hexagons, ms", f->hexagons, steps, 1e3);
    print_line("beyond 1.3 of that, us per changed cell", beyond, steps, 1e6);
    free(beyond);
}

int main(int argc, char **argv)
{
    static shock s = { .depth = 2, .moves = -1, .wave = "cubic" };
    const char *grid = "1000x1000", *transport = "fence";
    int64_t steps = 12, width, height;
    const pen_option options[] = {
        { "grid", "WxH", "coarse cells (1000x1000)", PEN_OPTION_TEXT, &grid, 0, 0 },
        { "depth", "D", "how often a cell may be split (2)", PEN_OPTION_INT, &s.depth, 0, MESH_DEEPEST },
        { "steps", "N", "steps that are measured (12)", PEN_OPTION_INT, &steps, 1, 1000 },
        { "comm", "NAME", "transport (fence)", PEN_OPTION_TEXT, &transport, 0, 0 },
        { .name = NULL },
    };
    bench_start(argc, argv, options);
    bench_parse_grid(grid, &width, &height);
    const pen_app app = pen_shock_app(&s);
    for (int i = 0; i < GRIDS; i++) {
        figures f = measure(&app, width << i, height, transport, steps);
        if (bench_rank == 0) report(&f, width << i, height, steps);
        PEN_FREE_ALL(f.change, f.pass, f.hexagons);
    }
    bench_summary nothing = measure_nothing(&app, transport);
    if (bench_rank == 0)
        printf("nothing asked for, over an all-reduce              %9.3f %9.3f %9.3f\n", nothing.min, nothing.median,
               nothing.max);
    return MPI_Finalize();
}
