/* fetch.c - what fetching random nodes costs, beside the directory's resolve of the same gids.
 *
 *     mpirun -n N fetch_bench [--grid=WxH] [--nodes=N] [--comm=NAME] [--samples=N]
 *
 * Every rank asks for random nodes of a field of hexagons. In turns: the directory resolves the batch; a fetch
 * of it in a run that has forgotten whatever it looked up, as after a migration; the same fetch again; a copy of as
 * many records from random places. Printed are nanoseconds per node at the slowest rank, and the median of the rounds'
 * ratios: first fetch minus copy, by resolve. */
#include "base/hash.h"
#include "base/options.h"
#include "run/reach.h"
#include "run/state.h"
#include "tests/bench/bench.h"

#include <stdlib.h>

enum { RESOLVE, FIRST, AGAIN, COPY, MEASURES };

typedef struct batch {
    int64_t count;
    pen_gid *gids;
    int32_t *owners;
    double *records, *source;
    bool *found;
} batch;

static void do_copy(const pen_run *run, const batch *b)
{
    for (int64_t i = 0; i < b->count; i++) b->records[i] = b->source[b->gids[i] % run->world.nodes];
}

/* The slowest rank's nanoseconds per node. */
static double timed(pen_run *run, const batch *b, int measure)
{
    pen_status status = PEN_OK;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = pen_seconds_now();
    if (measure == RESOLVE) status = pen_directory_resolve(run->store->directory, b->count, b->gids, b->owners);
    else if (measure == COPY) do_copy(run, b);
    else status = pen_run_fetch(run, 0, b->count, b->gids, b->records, b->found);
    double mine = pen_seconds_now() - start;
    bench_require(status, "fetch");
    double slowest = bench_slowest(mine);
    for (int64_t i = 0; i < b->count; i++)
        if (measure != RESOLVE && b->records[i] != (double)(b->gids[i] % 1000))
            bench_require(PEN_ERR_INTERNAL, "wrong record");
    memset(b->records, 0, (size_t)b->count * sizeof *b->records);
    return 1e9 * slowest / (double)b->count;
}

static batch make_batch(const pen_run *run, int64_t count)
{
    batch b = { .count = count };
    b.gids = malloc((size_t)count * sizeof *b.gids);
    b.owners = malloc((size_t)count * sizeof *b.owners);
    b.records = bench_room(count);
    b.found = malloc((size_t)count * sizeof *b.found);
    b.source = bench_room(run->world.nodes);
    if (!b.gids || !b.owners || !b.found) bench_require(PEN_ERR_MEMORY, "batch");
    for (int64_t i = 0; i < run->world.nodes; i++) b.source[i] = (double)(i % 1000);
    return b;
}

int main(int argc, char **argv)
{
    const char *grid = "1000x1000", *transport = "fence";
    int64_t samples = 41, width, height, nodes = 10000;
    const pen_option options[] = {
        { "grid", "WxH", "hexagons (1000x1000)", PEN_OPTION_TEXT, &grid, 0, 0 },
        { "nodes", "N", "nodes fetched by each rank (10000)", PEN_OPTION_INT, &nodes, 1, INT64_C(1) << 30 },
        { "comm", "NAME", "transport (fence)", PEN_OPTION_TEXT, &transport, 0, 0 },
        { "samples", "N", "rounds (41)", PEN_OPTION_INT, &samples, 1, 1000 },
        { .name = NULL },
    };
    bench_start(argc, argv, options);
    bench_parse_grid(grid, &width, &height);
    pen_graph *graph = NULL;
    pen_run *run = NULL;
    bench_require(generate_hex(MPI_COMM_WORLD, width, height, &graph), "graph");
    bench_require(pen_run_create(MPI_COMM_WORLD, graph, &bench_app,
                                 &(pen_run_options){ .partitioner = "block", .transport = transport }, &run),
                  "run");
    pen_graph_destroy(&graph);
    batch b = make_batch(run, nodes);
    double *times[MEASURES], *ratio = bench_room(samples);
    for (int m = 0; m < MEASURES; m++) times[m] = bench_room(samples);
    for (int64_t i = -2; i < samples; i++) { /* the first ones warm up */
        for (int64_t k = 0; k < nodes; k++)
            b.gids[k] = (pen_gid)(pen_mix((uint64_t)(k * 1000 + i + 2) * 64 + (uint64_t)run->comm->rank) %
                                  (uint64_t)run->world.nodes);
        pen_reach_destroy(&run->reach);
        double t[MEASURES];
        if (i % 2) t[RESOLVE] = timed(run, &b, RESOLVE);
        t[FIRST] = timed(run, &b, FIRST);
        if (i % 2 == 0) t[RESOLVE] = timed(run, &b, RESOLVE);
        t[AGAIN] = timed(run, &b, AGAIN);
        t[COPY] = timed(run, &b, COPY);
        for (int m = 0; m < MEASURES && i >= 0; m++) times[m][i] = t[m];
        if (i >= 0) ratio[i] = (t[FIRST] - t[COPY]) / t[RESOLVE];
    }
    if (run->comm->rank == 0) {
        static const char *const names[MEASURES] = { "resolve", "fetch, not looked up", "fetch, again", "copy" };
        printf("hex %s, --comm=%s, %" PRId64 " random nodes per rank, %" PRId64 " rounds: min, median, max\n", grid,
               transport, nodes, samples);
        for (int m = 0; m < MEASURES; m++) {
            bench_summary s = bench_summarize(times[m], (int)samples);
            printf("%-24s %8.1f %8.1f %8.1f ns per node\n", names[m], s.min, s.median, s.max);
        }
        bench_summary s = bench_summarize(ratio, (int)samples);
        printf("%-24s %8.2f %8.2f %8.2f\n", "(fetch - copy) / resolve", s.min, s.median, s.max);
    }
    for (int m = 0; m < MEASURES; m++) free(times[m]);
    free(ratio);
    free(b.gids);
    free(b.owners);
    free(b.records);
    free(b.found);
    free(b.source);
    pen_run_destroy(&run);
    MPI_Finalize();
    return 0;
}
