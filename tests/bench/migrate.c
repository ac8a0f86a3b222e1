/* migrate.c - what a migration costs: nodes of a field of hexagons change owner, and back.
 *
 *     mpirun -n 2 migrate_bench [--grid=WxH] [--part=P] [--comm=NAME] [--samples=N]
 *
 * In every round: a migration of one node from each rank (the linear pass), then one of about the part P of the nodes,
 * in bands next to the border between the ranks' blocks, as balancing moves them. Printed are nanoseconds per owned
 * node of the first, and microseconds per moved node of what the second takes beyond it, at the slowest rank. The
 * checksum must be that of a run without migrations. */
#include "base/options.h"
#include "run/run.h"
#include "tests/bench/bench.h"

#include <stdlib.h>

static void init(const pen_view *v) { *PEN_NEXT(v, 0, double) = (double)(pen_id(v) % 1000); }

static void average(const pen_view *v)
{
    double sum = 0.0;
    for (int32_t i = 0; i < pen_degree(v); i++) sum += *PEN_NEIGHBOR(v, 0, double, i);
    *PEN_NEXT(v, 0, double) = pen_degree(v) ? sum / pen_degree(v) : *PEN_SELF(v, 0, double);
}

static void print(const pen_view *v, FILE *out) { fprintf(out, "%.17g", *PEN_SELF(v, 0, double)); }

static const pen_field fields[] = { { "cell", sizeof(double) } };
static const pen_phase phases[] = { { "average", average, .reads = PEN_FIELD(0), .writes = PEN_FIELD(0) } };
static const pen_app app = { .name = "migrate", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init, .print = print };

/* The slowest rank's seconds for moving what `moves` says. */
static double timed(pen_run *run, int64_t count, const pen_move *moves)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double start = pen_seconds_now();
    bench_require(pen_run_migrate(run, PEN_OK, count, moves), "migration");
    double mine = pen_seconds_now() - start, slowest;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

/* This rank's nodes with gids in the band of `width` nodes before the end of its share go to the next rank
 * and, on the way back, those that came return. */
static int64_t choose(const pen_run *run, int64_t width, bool back, pen_move *moves)
{
    int64_t share = run->nodes / run->comm->size, count = 0;
    for (pen_lid s = 0; s < run->store->owned; s++) {
        pen_gid gid = run->store->gids[s];
        int home = (int)(gid / share < run->comm->size ? gid / share : run->comm->size - 1);
        if (back ? home == run->comm->rank : home != run->comm->rank || home == run->comm->size - 1) continue;
        if (!back && gid < (home + 1) * share - width) continue;
        moves[count++] = (pen_move){ gid, back ? home : home + 1 };
    }
    return count;
}

static uint64_t checksum_of(pen_run *run)
{
    uint64_t checksum;
    bench_require(pen_run_steps(run, 3), "steps");
    bench_require(pen_run_checksum(run, &checksum), "checksum");
    return checksum;
}

int main(int argc, char **argv)
{
    const char *grid = "1000x1000", *transport = "fence";
    double part = 0.01;
    int64_t samples = 21, width, height;
    const pen_option options[] = {
        { "grid", "WxH", "hexagons (1000x1000)", PEN_OPTION_TEXT, &grid, 0, 0 },
        { "part", "P", "part of the nodes that move (0.01)", PEN_OPTION_REAL, &part, 0, 0 },
        { "comm", "NAME", "transport (fence)", PEN_OPTION_TEXT, &transport, 0, 0 },
        { "samples", "N", "rounds (21)", PEN_OPTION_INT, &samples, 1, 1000 },
        { .name = NULL },
    };
    if (!bench_start(argc, argv, options)) return MPI_Finalize();
    if (sscanf(grid, "%" SCNd64 "x%" SCNd64, &width, &height) != 2)
        bench_require(pen_fail(PEN_ERR_INPUT, "--grid=%s", grid), "migrate");
    pen_graph *graph = NULL;
    pen_run *run = NULL, *still = NULL;
    pen_run_options run_options = { .partitioner = "block", .transport = transport };
    bench_require(pen_graph_hex(MPI_COMM_WORLD, width, height, &graph), "graph");
    bench_require(pen_run_create(MPI_COMM_WORLD, graph, &app, &run_options, &run), "run");
    bench_require(pen_run_create(MPI_COMM_WORLD, graph, &app, &run_options, &still), "run");
    pen_graph_destroy(&graph);

    double *nothing = calloc((size_t)samples, sizeof *nothing), *per_moved = calloc((size_t)samples, sizeof *per_moved);
    pen_move *moves = malloc((size_t)run->nodes * sizeof *moves);
    int64_t band = (int64_t)(part * (double)run->nodes / (run->comm->size > 1 ? run->comm->size - 1 : 1)), total = 0;
    for (int64_t i = -1; i < samples; i++) { /* the first one makes larger windows */
        int64_t count = choose(run, 1, i % 2 == 0, moves);
        double pass = timed(run, count > 1 ? 1 : count, moves);
        count = choose(run, band, i % 2 == 0, moves);
        total = count;
        MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
        double moving = timed(run, count, moves);
        if (i < 0) continue;
        nothing[i] = 1e9 * pass / ((double)run->nodes / run->comm->size);
        per_moved[i] = total ? 1e6 * (moving - pass) / (double)total : 0.0;
    }
    uint64_t moved = checksum_of(run), unmoved = checksum_of(still);
    if (run->comm->rank == 0) {
        bench_summary a = bench_summarize(nothing, (int)samples), b = bench_summarize(per_moved, (int)samples);
        bench_print_setting("migrate", run->comm->size);
        printf("hex %s, --comm=%s, %" PRId64 " nodes moved, %" PRId64 " rounds: min, median, max\n", grid, transport,
               total, samples);
        printf("linear pass      %8.2f %8.2f %8.2f ns per owned node\n", a.min, a.median, a.max);
        printf("beyond it        %8.3f %8.3f %8.3f us per moved node\n", b.min, b.median, b.max);
        if (moved != unmoved) printf("WRONG: checksum %016" PRIx64 ", expected %016" PRIx64 "\n", moved, unmoved);
    }
    int wrong = moved != unmoved;
    free(nothing);
    free(per_moved);
    free(moves);
    pen_run_destroy(&run);
    pen_run_destroy(&still);
    MPI_Finalize();
    return wrong;
}
