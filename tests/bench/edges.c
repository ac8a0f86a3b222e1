/* edges.c - what records of arcs cost: every node becomes the weighted mean of its neighbours, where the weights are
 * edge records of 8 bytes, read by a node function (PEN_EDGE) and by a sweep that is written by hand, over the same
 * node function with an array per arc of its own, written by hand.
 *
 *     mpirun -n 2 edges_bench [--grid=WxH] [--steps=N] [--samples=N]
 *
 * A round takes one sample, of N steps, of every variant in turn. Printed are the time of a step (the slowest rank's),
 * and the median over the rounds of its ratio to that with the array by hand. All must agree bit for bit in the end. */
#include "base/status.h"
#include "tests/bench/bench.h"

#include <stdlib.h>

enum { CELL, WEIGHT = 0, VARIANTS = 3 };

static double weight_of(pen_gid from, pen_gid to) { return 1.0 + (double)((from * 7 + to * 3) % 16) / 16; }

static double *by_hand; /* [arcs] of this rank */

static void init(const pen_view *v) { *PEN_NEXT(v, CELL, double) = (double)(pen_id(v) % 1000); }

static void init_by_hand(const pen_view *v)
{
    init(v);
    for (int32_t i = 0; i < pen_degree(v); i++)
        by_hand[v->rows[v->slot] + (uint32_t)i] = weight_of(pen_id(v), pen_neighbor_id(v, i));
}

static void init_edges(const pen_view *v)
{
    for (int32_t i = 0; i < pen_degree(v); i++)
        *PEN_EDGE_OWN(v, WEIGHT, double, i) = weight_of(pen_id(v), pen_neighbor_id(v, i));
}

static void mean_by_hand(const pen_view *v)
{
    const double *weights = by_hand + v->rows[v->slot];
    double sum = 0.0, all = 0.0;
    for (int32_t i = 0; i < pen_degree(v); i++) {
        sum += weights[i] * *PEN_NEIGHBOR(v, CELL, double, i);
        all += weights[i];
    }
    *PEN_NEXT(v, CELL, double) = all > 0.0 ? sum / all : *PEN_SELF(v, CELL, double);
}

static void mean_of_records(const pen_view *v)
{
    double sum = 0.0, all = 0.0;
    for (int32_t i = 0; i < pen_degree(v); i++) {
        double weight = *PEN_EDGE(v, WEIGHT, double, i);
        sum += weight * *PEN_NEIGHBOR(v, CELL, double, i);
        all += weight;
    }
    *PEN_NEXT(v, CELL, double) = all > 0.0 ? sum / all : *PEN_SELF(v, CELL, double);
}

static void mean_in_blocks(const pen_view *v, pen_lid end)
{
    const double *in = (const double *)v->current[CELL], *weights = (const double *)v->edges[WEIGHT];
    double *restrict out = (double *)v->next[CELL];
    for (pen_lid s = v->slot; s < end; s++) {
        double sum = 0.0, all = 0.0;
        for (uint32_t a = v->rows[s]; a < v->rows[s + 1]; a++) {
            sum += weights[a] * in[v->columns[a]];
            all += weights[a];
        }
        out[s] = all > 0.0 ? sum / all : in[s];
    }
}

static const pen_field fields[] = { { .name = "cell", .size = sizeof(double) } };
static const pen_edge_field edge_fields[] = { { "weight", sizeof(double) } };
static const pen_phase phases[VARIANTS] = {
    { .name = "by hand", .node = mean_by_hand, .reads = PEN_SET(CELL), .writes = PEN_SET(CELL) },
    { .name = "records", .node = mean_of_records, .reads = PEN_SET(CELL), .writes = PEN_SET(CELL) },
    { .name = "block", .sweep = mean_in_blocks, .reads = PEN_SET(CELL), .writes = PEN_SET(CELL) },
};

static int64_t differences(pen_run *const runs[VARIANTS], int which)
{
    pen_local a = pen_run_local(runs[0]);
    const void *first = a.fields[0];
    pen_local b = pen_run_local(runs[which]);
    int64_t different = a.count != b.count || memcmp(first, b.fields[0], (size_t)a.count * sizeof(double)) != 0;
    MPI_Allreduce(MPI_IN_PLACE, &different, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return different;
}

static int compare(int64_t width, int64_t height, int64_t steps, int64_t samples, bool speaks)
{
    pen_app apps[VARIANTS];
    pen_run *runs[VARIANTS] = { NULL };
    double *seconds[VARIANTS];
    pen_graph *graph = NULL;
    int wrong = 0;
    const pen_run_options options = { .partitioner = "block" };
    by_hand = bench_room(6 * width * height);
    bench_require(generate_hex(MPI_COMM_WORLD, width, height, &graph), "graph");
    for (int i = 0; i < VARIANTS; i++) {
        apps[i] = (pen_app){ .name = phases[i].name,
                             PEN_FIELDS(fields),
                             .phases.list = &phases[i],
                             .phases.count = 1,
                             .init = i == 0 ? init_by_hand : init,
                             .edge_fields.list = edge_fields,
                             .edge_fields.count = i > 0,
                             .init_edges = i > 0 ? init_edges : NULL };
        seconds[i] = bench_room(samples);
        bench_require(pen_run_create(MPI_COMM_WORLD, graph, &apps[i], &options, &runs[i]), phases[i].name);
        bench_steps(runs[i], steps / 4 + 1, phases[i].name);
    }
    pen_graph_destroy(&graph);
    for (int64_t sample = 0; sample < samples; sample++)
        for (int i = 0; i < VARIANTS; i++) seconds[i][sample] = bench_steps(runs[i], steps, phases[i].name);
    if (speaks) printf("%-12s %12s %12s %12s\n", "us per step", "min", "median", "over by hand");
    for (int i = 0; i < VARIANTS; i++) {
        bench_summary s = bench_summarize(seconds[i], (int)samples);
        bench_summary ratio = bench_ratios(seconds[i], seconds[0], (int)samples);
        if (speaks) printf("%-12s %12.3f %12.3f %12.3f\n", phases[i].name, 1e6 * s.min, 1e6 * s.median, ratio.median);
        if (i > 0 && differences(runs, i) > 0) {
            if (speaks) fprintf(stderr, "%s: values differ\n", phases[i].name);
            wrong = 1;
        }
    }
    for (int i = 0; i < VARIANTS; i++) {
        pen_run_destroy(&runs[i]);
        free(seconds[i]);
    }
    free(by_hand);
    return wrong;
}

int main(int argc, char **argv)
{
    int64_t steps = 10, samples = 21, width, height;
    const char *grid = "1000x1000";
    const pen_option options[] = {
        { "grid", "WxH", "the field of hexagons (1000x1000)", PEN_OPTION_TEXT, &grid, 0, 0 },
        { "steps", "N", "steps per sample (10)", PEN_OPTION_INT, &steps, 1, INT32_MAX },
        { "samples", "N", "rounds (21)", PEN_OPTION_INT, &samples, 1, 100000 },
        { .name = NULL },
    };
    bench_start(argc, argv, options);
    bench_parse_grid(grid, &width, &height);
    int status = compare(width, height, steps, samples, bench_rank == 0);
    MPI_Finalize();
    return status;
}
