/* pull.c - what it costs to pull 512 KiB from one neighbour that rewrites it before each pull.
 *
 *     mpirun -n 2 pull_bench [--nodes=N] [--pulls=N] [--samples=N]
 *
 * Rank 1 has one node, which reads all the nodes of rank 0; a phase rewrites these, one double each. The
 * peers do the same by hand, on two planes as well: memcpy from the neighbour's segment of a shared window,
 * and Isend/Irecv. A pull lasts from the moment when both ranks have finished their sweep to the moment when
 * rank 1 has the data; of memcpy the copy alone counts. A round takes one sample of every variant, in turn;
 * ratios are medians over the rounds. Every variant's data are checked. */
#include "base/status.h"
#include "halo/connect.h"
#include "halo/halo.h"
#include "observe/timers.h"
#include "tests/bench/bench.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { PRODUCER, CONSUMER, MEMCPY = 0, ISEND, FIRST_RUN, MAX_VARIANTS = 16 };

typedef struct bench {
    int64_t nodes, pulls, samples;
    MPI_Win window;        /* of the peers */
    double *mine, *theirs; /* [2*nodes] in it: this rank's, and the producer's */
    const char *names[MAX_VARIANTS];
    pen_run *runs[MAX_VARIANTS]; /* NULL: a peer */
    int count;
    double *seconds[MAX_VARIANTS]; /* [samples] per pull */
} bench;

/* When this rank finished the last sweep, and when the pull after it ended. */
static double swept, pulled;

static void rewrite(double *out, int64_t count, int64_t step)
{
    for (int64_t i = 0; i < count; i++) out[i] = (double)(i + step);
}

/* ---- The application -------------------------------------------------------------------------- */

static bool checking;
static int64_t wrong;

static void init(const pen_view *v) { *PEN_NEXT(v, 0, double) = (double)(pen_id(v) - 1); }

static void phase(const pen_view *v, pen_lid end)
{
    const double *in = (const double *)v->current[0];
    for (uint32_t k = 0; checking && k < v->rows[end]; k++)
        wrong += in[v->columns[k]] != (double)(v->gids[v->columns[k]] + v->step - 1);
    rewrite((double *)v->next[0] + v->slot, end - v->slot, v->step);
    swept = pen_seconds_now();
}

static const pen_field fields[] = { { .name = "value", .size = sizeof(double) } };
static const pen_phase phases[] = { { "rewrite", .reads = PEN_SET(0), .writes = PEN_SET(0), .sweep = phase,
                                      .always = true } };
static const pen_app app = { .name = "pull", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init };

/* Node `nodes` reads all the others and weighs as much, so that rank 1 gets it and nothing else. */
static pen_graph *make_graph(const bench *b)
{
    pen_graph *graph = NULL;
    pen_lid count = bench_rank == PRODUCER ? (pen_lid)b->nodes : 1;
    int64_t arcs = bench_rank == PRODUCER ? 0 : b->nodes;
    pen_gid *gids = malloc((size_t)count * sizeof *gids), *neighbors = malloc((size_t)(arcs + 1) * sizeof *neighbors);
    int64_t *rows = calloc((size_t)count + 1, sizeof *rows), *weights = malloc((size_t)count * sizeof *weights);
    bench_require(gids && neighbors && rows && weights ? PEN_OK : PEN_ERR_MEMORY, "graph");
    for (pen_lid i = 0; i < count; i++) {
        gids[i] = bench_rank == PRODUCER ? i : b->nodes;
        weights[i] = bench_rank == PRODUCER ? 1 : b->nodes;
    }
    for (int64_t i = 0; i < arcs; i++) neighbors[i] = i;
    rows[count] = arcs;
    pen_csr csr = {
        .count = count, .gids = gids, .rows = rows, .neighbors = neighbors, .node_weights = weights, .directed = true
    };
    bench_require(pen_graph_from_csr(MPI_COMM_WORLD, &csr, &graph), "graph");
    free(gids);
    free(neighbors);
    free(rows);
    free(weights);
    return graph;
}

/* ---- The peers ---------------------------------------------------------------------------------- */

static void open_window(bench *b)
{
    MPI_Aint bytes = (MPI_Aint)(2 * (size_t)b->nodes * sizeof(double));
    int unit;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");
    MPI_Win_allocate_shared(bytes, 1, info, MPI_COMM_WORLD, &b->mine, &b->window);
    MPI_Info_free(&info);
    MPI_Win_shared_query(b->window, PRODUCER, &bytes, &unit, &b->theirs);
    rewrite(b->mine, 2 * b->nodes, 0);
}

static double copy_once(const bench *b, int64_t step)
{
    int64_t plane = step % 2 * b->nodes;
    double start = 0.0;
    if (bench_rank == PRODUCER) rewrite(b->mine + plane, b->nodes, step);
    atomic_thread_fence(memory_order_seq_cst);
    MPI_Barrier(MPI_COMM_WORLD);
    atomic_thread_fence(memory_order_seq_cst);
    if (bench_rank == CONSUMER) {
        start = pen_seconds_now();
        memcpy(b->mine + plane, b->theirs + plane, (size_t)b->nodes * sizeof(double));
        start = pen_seconds_now() - start;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return start;
}

static void send_once(const bench *b, int64_t step)
{
    double *plane = b->mine + step % 2 * b->nodes;
    MPI_Request request;
    if (bench_rank == CONSUMER) MPI_Irecv(plane, (int)b->nodes, MPI_DOUBLE, PRODUCER, 0, MPI_COMM_WORLD, &request);
    if (bench_rank == PRODUCER) rewrite(plane, b->nodes, step);
    swept = pen_seconds_now();
    if (bench_rank == PRODUCER) MPI_Isend(plane, (int)b->nodes, MPI_DOUBLE, CONSUMER, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* ---- Measuring ---------------------------------------------------------------------------------- */

static int64_t peer_step;

/* Collective. Seconds per pull. */
static double sample(const bench *b, int v)
{
    double total = 0.0, *ends = bench_room(b->pulls), *others = bench_room(b->pulls);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int64_t i = 0; i < b->pulls; i++) {
        if (v == MEMCPY) {
            total += copy_once(b, peer_step++);
            continue;
        }
        if (v == ISEND) send_once(b, peer_step++);
        else bench_require(pen_run_steps(b->runs[v], 1), b->names[v]);
        pulled = pen_seconds_now();
        ends[i] = swept;
        others[i] = pulled;
    }
    if (v != MEMCPY) {
        MPI_Allreduce(MPI_IN_PLACE, ends, (int)b->pulls, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        for (int64_t i = 0; i < b->pulls; i++) total += others[i] - ends[i];
    }
    MPI_Bcast(&total, 1, MPI_DOUBLE, CONSUMER, MPI_COMM_WORLD);
    free(ends);
    free(others);
    return total / (double)b->pulls;
}

static void check(bench *b)
{
    checking = true;
    for (int v = FIRST_RUN; v < b->count; v++) {
        bench_require(pen_run_steps(b->runs[v], 2), b->names[v]);
        if (wrong > 0) bench_require(pen_fail(PEN_ERR_INTERNAL, "%" PRId64 " values are wrong", wrong), b->names[v]);
    }
    for (int64_t i = 0; bench_rank == CONSUMER && i < b->nodes; i++) wrong += b->mine[i] != b->theirs[i];
    if (wrong > 0) bench_require(pen_fail(PEN_ERR_INTERNAL, "%" PRId64 " values are wrong", wrong), "peers");
    checking = false;
}

static void report(const bench *b)
{
    printf("%" PRId64 " doubles from one neighbour that rewrites them before each pull; %" PRId64 " samples of %" PRId64
           " pulls\n\n",
           b->nodes, b->samples, b->pulls);
    printf("| us per pull | min | median | max | over memcpy | Isend/Irecv over it |\n|---|---|---|---|---|---|\n");
    for (int v = 0; v < b->count; v++) {
        bench_summary s = bench_summarize(b->seconds[v], (int)b->samples);
        bench_summary copies = bench_ratios(b->seconds[v], b->seconds[MEMCPY], (int)b->samples);
        bench_summary sends = bench_ratios(b->seconds[ISEND], b->seconds[v], (int)b->samples);
        printf("| %s | %.2f | %.2f | %.2f | %.3f | %.2f |\n", b->names[v], 1e6 * s.min, 1e6 * s.median, 1e6 * s.max,
               copies.median, sends.median);
    }
}

static void measure(bench *b)
{
    open_window(b);
    pen_graph *graph = make_graph(b);
    b->names[b->count++] = "memcpy";
    b->names[b->count++] = "Isend/Irecv";
    for (int t = 0; pen_transports[t] && b->count < MAX_VARIANTS; t++) {
        pen_run_options options = { .partitioner = "block", .transport = b->names[b->count] = pen_transports[t]->name };
        bench_require(pen_run_create(MPI_COMM_WORLD, graph, &app, &options, &b->runs[b->count]),
                      pen_transports[t]->name);
        b->count++;
    }
    pen_graph_destroy(&graph);
    for (int v = 0; v < b->count; v++) {
        b->seconds[v] = bench_room(b->samples);
        (void)sample(b, v);
    }
    check(b);
    for (int64_t i = 0; i < b->samples; i++)
        for (int v = 0; v < b->count; v++) b->seconds[v][i] = sample(b, v);
    check(b);
    if (bench_rank == 0) report(b);
    for (int v = 0; v < b->count; v++) {
        pen_run_destroy(&b->runs[v]);
        free(b->seconds[v]);
    }
    MPI_Win_free(&b->window);
}

int main(int argc, char **argv)
{
    bench b = { .nodes = 65536, .pulls = 100, .samples = 21 };
    const pen_option options[] = {
        { "nodes", "N", "doubles to pull (65536)", PEN_OPTION_INT, &b.nodes, 1, 1 << 26 },
        { "pulls", "N", "per sample (100)", PEN_OPTION_INT, &b.pulls, 1, 1000000 },
        { "samples", "N", "rounds (21)", PEN_OPTION_INT, &b.samples, 1, 100000 },
        { .name = NULL },
    };
    bench_start(argc, argv, options);
    if (bench_ranks != 2) bench_require(pen_fail(PEN_ERR_ARGUMENT, "%d ranks; it takes 2", bench_ranks), argv[0]);
    measure(&b);
    return MPI_Finalize();
}
