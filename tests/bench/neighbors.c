/* neighbors.c - a step whose ranks all have k neighbours, k = ranks - 1: what each transport costs per
 * neighbour.
 *
 *     mpirun -n 7 neighbors_bench [--nodes=N] [--steps=N] [--samples=N]      or neighbors.sh for k = 1..6
 *
 * Every pair of ranks shares N edges (256), each between nodes of its own, so that a rank pulls a run of N
 * doubles from every other one and computes k * N nodes of one neighbour each. A round takes one sample of
 * every transport, in turn. The result is checked: a step swaps the values of the ends of each edge. */
#include "halo/connect.h"
#include "halo/halo.h"
#include "tests/bench/bench.h"

#include <stdlib.h>

enum { MAX_TRANSPORTS = 16 };

typedef struct bench {
    int64_t nodes, steps, samples;
    pen_run *runs[MAX_TRANSPORTS];
    double *seconds[MAX_TRANSPORTS]; /* [samples] per step */
    int count;
} bench;

static void init(const pen_view *v) { *PEN_NEXT(v, 0, double) = (double)pen_id(v); }

static void swap(const pen_view *v, pen_lid end)
{
    const double *restrict in = (const double *)v->current[0];
    double *restrict out = (double *)v->next[0];
    for (pen_lid s = v->slot; s < end; s++) out[s] = in[v->columns[v->rows[s]]];
}

static const pen_field fields[] = { { .name = "value", .size = sizeof(double) } };
static const pen_phase phases[] = { { "swap", .reads = PEN_SET(0), .writes = PEN_SET(0), .sweep = swap } };
static const pen_app app = { .name = "neighbors", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init };

/* Node (r, o, i): the i-th that rank r shares with the o-th of the others. */
static pen_gid gid_of(const bench *b, int rank, int other, int64_t i)
{
    return ((int64_t)rank * (bench_ranks - 1) + other - (other > rank)) * b->nodes + i;
}

static pen_gid partner_of(const bench *b, pen_gid gid)
{
    int64_t list = gid / b->nodes;
    int rank = (int)(list / (bench_ranks - 1)), other = (int)(list % (bench_ranks - 1));
    return gid_of(b, other + (other >= rank), rank, gid % b->nodes);
}

static pen_graph *make_graph(const bench *b)
{
    pen_graph *graph = NULL;
    pen_lid count = (pen_lid)((bench_ranks - 1) * b->nodes);
    pen_gid *gids = malloc((size_t)count * sizeof *gids), *neighbors = malloc((size_t)count * sizeof *neighbors);
    int64_t *rows = malloc(((size_t)count + 1) * sizeof *rows);
    bench_require(gids && neighbors && rows ? PEN_OK : PEN_ERR_MEMORY, "graph");
    for (pen_lid i = 0; i < count; i++) {
        gids[i] = (pen_gid)bench_rank * count + i;
        neighbors[i] = partner_of(b, gids[i]);
        rows[i] = i;
    }
    rows[count] = count;
    pen_csr csr = { .count = count, .gids = gids, .rows = rows, .neighbors = neighbors };
    bench_require(pen_graph_from_csr(MPI_COMM_WORLD, &csr, &graph), "graph");
    free(gids);
    free(neighbors);
    free(rows);
    return graph;
}

/* After an odd number of steps, and one more. */
static void check(bench *b, int t)
{
    bench_require(pen_run_steps(b->runs[t], 1), "step");
    pen_local local = pen_run_local(b->runs[t]);
    const double *values = (const double *)local.fields[0];
    for (pen_lid i = 0; i < local.count; i++)
        if (values[i] != (double)partner_of(b, local.gids[i]))
            bench_require(pen_fail(PEN_ERR_INTERNAL, "node %" PRIgid " has %g", local.gids[i], values[i]),
                          pen_transports[t]->name);
    bench_require(pen_run_steps(b->runs[t], 1), "step");
}

static double sample(const bench *b, int t) { return bench_steps(b->runs[t], b->steps, pen_transports[t]->name); }

static void measure(bench *b)
{
    pen_graph *graph = make_graph(b);
    for (; pen_transports[b->count] && b->count < MAX_TRANSPORTS; b->count++) {
        pen_run_options options = { .partitioner = "block", .transport = pen_transports[b->count]->name };
        bench_require(pen_run_create(MPI_COMM_WORLD, graph, &app, &options, &b->runs[b->count]), options.transport);
        b->seconds[b->count] = bench_room(b->samples);
    }
    pen_graph_destroy(&graph);
    for (int t = 0; t < b->count; t++) check(b, t);
    for (int t = 0; t < b->count; t++) (void)sample(b, t);
    for (int64_t i = 0; i < b->samples; i++)
        for (int t = 0; t < b->count; t++) b->seconds[t][i] = sample(b, t);
    for (int t = 0; t < b->count; t++) check(b, t);
    for (int t = 0; t < b->count; t++) {
        bench_summary s = bench_summarize(b->seconds[t], (int)b->samples);
        if (bench_rank == 0)
            printf("%d %-12s %10.3f %10.3f %10.3f %14.3f\n", bench_ranks - 1, pen_transports[t]->name, 1e6 * s.min,
                   1e6 * s.median, 1e6 * s.max, 1e6 * s.median / (bench_ranks - 1));
        pen_run_destroy(&b->runs[t]);
        free(b->seconds[t]);
    }
}

int main(int argc, char **argv)
{
    bench b = { .nodes = 256, .steps = 200, .samples = 21 };
    const pen_option options[] = {
        { "nodes", "N", "that every pair of ranks shares (256)", PEN_OPTION_INT, &b.nodes, 1, 1 << 20 },
        { "steps", "N", "per sample, even (200)", PEN_OPTION_INT, &b.steps, 2, 1000000 },
        { "samples", "N", "rounds (21)", PEN_OPTION_INT, &b.samples, 1, 100000 },
        { .name = NULL },
    };
    bench_start(argc, argv, options);
    if (bench_ranks < 2 || b.steps % 2)
        bench_require(pen_fail(PEN_ERR_ARGUMENT, "%d ranks and %" PRId64 " steps: at least 2, and even", bench_ranks,
                               b.steps),
                      argv[0]);
    if (bench_rank == 0) {
        printf("%-14s %10s %10s %10s %14s\n", "k, us per step", "min", "median", "max", "per neighbour");
    }
    measure(&b);
    return MPI_Finalize();
}
