/* observed - what observables add to a step: a field of hexagons with and without a sum of doubles, a maximum of
 * doubles and a count, in turn, so that both see the same machine. */
#include "tests/bench/bench.h"

#include <stdlib.h>

enum { VALUE };
enum { TOTAL, PEAK, HIGH };

static void observe(const pen_view *v, pen_observation *o)
{
    double value = *PEN_SELF(v, VALUE, double);
    pen_observe_real(o, TOTAL, value);
    pen_observe_real(o, PEAK, value);
    pen_observe_int(o, HIGH, value > 500.0);
}

static void observe_block(const pen_view *v, pen_lid count, pen_observation *o)
{
    const double *values = (const double *)v->current[VALUE] + v->slot;
    int64_t high = 0;
    for (pen_lid i = 0; i < count; i++) high += values[i] > 500.0;
    pen_observe_reals(o, TOTAL, count, values);
    pen_observe_reals(o, PEAK, count, values);
    pen_observe_int(o, HIGH, high);
}

static const pen_observable observables[] = {
    [TOTAL] = { "total", PEN_SUM_REAL, 1 }, [PEAK] = { "peak", PEN_MAX_REAL, 1 }, [HIGH] = { "high", PEN_SUM_INT, 1 }
};

int main(int argc, char **argv)
{
    static const char *grid = "32x32";
    static bool blocks;
    static int64_t repeats = 41, steps = 2000;
    static const pen_option options[] = {
        { "grid", "WxH", "the field (32x32)", PEN_OPTION_TEXT, (void *)&grid, 0, 0 },
        { "repeats", "N", "pairs of measurements (41)", PEN_OPTION_INT, &repeats, 1, 10000 },
        { "blocks", NULL, "observe by blocks, not node by node", PEN_OPTION_FLAG, &blocks, 0, 0 },
        { "steps", "N", "steps in each (2000)", PEN_OPTION_INT, &steps, 1, 1000000 },
        { .name = NULL },
    };
    if (!bench_start(argc, argv, options)) return MPI_Finalize();
    int64_t width, height;
    int rank, size;
    bench_parse_grid(grid, &width, &height);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    pen_app blind = bench_app, seeing = bench_app;
    if (blocks) seeing.observe_block = observe_block;
    else seeing.observe = observe;
    seeing.observables = observables;
    seeing.observable_count = PEN_COUNT_OF(observables);
    pen_graph *graph = NULL;
    pen_run *without = NULL, *with = NULL;
    bench_require(generate_hex(MPI_COMM_WORLD, width, height, &graph), "the graph");
    bench_require(pen_run_create(MPI_COMM_WORLD, graph, &blind, NULL, &without), "the run without");
    bench_require(pen_run_create(MPI_COMM_WORLD, graph, &seeing, NULL, &with), "the run with observables");
    double *a = bench_room(repeats), *b = bench_room(repeats);
    bench_steps(without, steps, "without");
    bench_steps(with, steps, "with");
    for (int64_t i = 0; i < repeats; i++) {
        a[i] = bench_steps(with, steps, "with");
        b[i] = bench_steps(without, steps, "without");
    }
    bench_summary added = bench_differences(a, b, (int)repeats), plain = bench_summarize(b, (int)repeats);
    if (rank == 0) {
        bench_print_setting("observed", size);
        printf("a step without %.3f us, observables add %.3f us (%.3f to %.3f); the fastest of each %.3f and %.3f us\n",
               1e6 * plain.median, 1e6 * added.median, 1e6 * added.min, 1e6 * added.max, 1e6 * plain.min,
               1e6 * bench_summarize(a, (int)repeats).min);
    }
    free(a);
    free(b);
    pen_run_destroy(&with);
    pen_run_destroy(&without);
    pen_graph_destroy(&graph);
    return MPI_Finalize();
}
