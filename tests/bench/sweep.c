/* sweep.c - what a node costs, beside limits: the applications as they are in apps/ beside the same by hand (peer.c),
 * and what observables add to a step.
 *
 *     mpirun -n 2 sweep_bench [--samples=N] [--only=TEXT]
 *
 * A row is a pair of computations. A sample is as many steps as take some 20 ms; a round takes one sample of both, in
 * turn. Printed are the times of a step (the slowest rank's), the median over the rounds of their ratio or difference,
 * and its limit. Values that both compute without sums must agree bit for bit after three steps.
 *
 * With a core for each rank, Open MPI must not yield (OMPI_MCA_mpi_yield_when_idle=0): the system calls of waiting
 * ranks add half a microsecond to a reduction. */
#include "base/status.h"
#include "run/state.h"
#include "tests/bench/bench.h"
#include "tests/bench/peer.h"
#include "tests/bench/step_apps.h"

#include <stdlib.h>

/* ---- The applications -------------------------------------------------------------------------- */

static pen_app heat(void)
{
    (void)bench_heat_main(0, NULL);
    bench_kept.init = bench_app.init; /* its own values would be 0 nearly everywhere */
    return bench_kept;
}
static pen_app hex(void)
{
    (void)bench_hex_main(0, NULL);
    return bench_kept;
}
static pen_app wave(void)
{
    (void)bench_wave_main(0, NULL);
    bench_kept.observables.count = 0;
    bench_kept.observables.observe = NULL;
    return bench_kept;
}
static pen_app cg(void)
{
    (void)bench_cg_main(0, NULL);
    for (const pen_option *option = bench_kept.options; option->name; option++)
        if (strcmp(option->name, "tolerance") == 0) *(double *)option->value = 0.0; /* it is never done */
    return bench_kept;
}

typedef struct record {
    double values[8];
} record;

static void init_record(const pen_view *v)
{
    for (int m = 0; m < 8; m++) PEN_NEXT(v, 0, record)->values[m] = (double)((pen_id(v) + m) % 1000);
}

static void mean_of_records(const pen_view *v)
{
    record sum = { { 0.0 } };
    for (int32_t i = 0; i < pen_degree(v); i++)
        for (int m = 0; m < 8; m++) sum.values[m] += PEN_NEIGHBOR(v, 0, record, i)->values[m];
    for (int m = 0; m < 8; m++) PEN_NEXT(v, 0, record)->values[m] = sum.values[m] / pen_degree(v);
}
PEN_SWEEP(mean_of_records)

static pen_app records(void)
{
    static const pen_field fields[] = { { .name = "record", .size = sizeof(record) } };
    static const pen_phase phases[] = { { "mean", .sweep = mean_of_records_sweep, .reads = PEN_SET(0),
                                          .writes = PEN_SET(0) } };
    return (pen_app){ .name = "records", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init_record };
}

/* Gray and Scott's reaction, whose two substances diffuse. */
typedef struct substances {
    double u, v;
} substances;

static void init_substances(const pen_view *v)
{
    bool seed = pen_id(v) % 97 == 0;
    *PEN_NEXT(v, 0, substances) = (substances){ seed ? 0.5 : 1.0, seed ? 0.25 : 0.0 };
}

static void react(const pen_view *v)
{
    const substances *own = PEN_SELF(v, 0, substances);
    double du = 0.0, dv = 0.0, rate = own->u * own->v * own->v;
    for (int32_t i = 0; i < pen_degree(v); i++) {
        du += PEN_NEIGHBOR(v, 0, substances, i)->u - own->u;
        dv += PEN_NEIGHBOR(v, 0, substances, i)->v - own->v;
    }
    PEN_NEXT(v, 0, substances)->u = own->u + 0.1 * du - rate + 0.037 * (1.0 - own->u);
    PEN_NEXT(v, 0, substances)->v = own->v + 0.05 * dv + rate - 0.097 * own->v;
}
PEN_SWEEP(react)

static void observe_substances(const pen_view *v, pen_observation *o)
{
    pen_observe_real(o, 0, PEN_SELF(v, 0, substances)->u);
    pen_observe_real(o, 1, PEN_SELF(v, 0, substances)->v);
}
PEN_OBSERVE_SWEEP(observe_substances)

static pen_app gray_scott(void)
{
    static const pen_field fields[] = { { .name = "substances", .size = sizeof(substances) } };
    static const pen_phase phases[] = { { "react", .sweep = react_sweep, .reads = PEN_SET(0), .writes = PEN_SET(0) } };
    return (pen_app){ .name = "gray-scott", PEN_FIELDS(fields), PEN_PHASES(phases), .init = init_substances };
}

static const pen_observable sums[] = { { "u", PEN_SUM_REAL, 1 }, { "v", PEN_SUM_REAL, 1 } };

static pen_app gray_scott_sums(void)
{
    pen_app app = gray_scott();
    app.observables.list = sums;
    app.observables.count = 2;
    app.observables.observe = observe_substances_sweep;
    return app;
}

static void observe_sum(const pen_view *v, pen_observation *o) { pen_observe_real(o, 0, *PEN_SELF(v, 0, double)); }
PEN_OBSERVE_SWEEP(observe_sum)

static pen_app heat_sum(void)
{
    pen_app app = heat();
    app.observables.list = sums;
    app.observables.count = 1;
    app.observables.observe = observe_sum_sweep;
    return app;
}

static void observe_three(const pen_view *v, pen_observation *o)
{
    double value = *PEN_SELF(v, 0, double);
    pen_observe_real(o, 0, value);
    pen_observe_real(o, 1, value);
    pen_observe_int(o, 2, value > 500.0);
}
PEN_OBSERVE_SWEEP(observe_three)

static pen_app heat_three(void)
{
    static const pen_observable three[] = { { "sum", PEN_SUM_REAL, 1 },
                                            { "most", PEN_MAX_REAL, 1 },
                                            { "high", PEN_SUM_INT, 1 } };
    pen_app app = heat();
    app.observables.list = three;
    app.observables.count = PEN_COUNT_OF(three);
    app.observables.observe = observe_three_sweep;
    return app;
}

/* ---- Pairs ------------------------------------------------------------------------------------ */

typedef struct comparison {
    const char *name, *graph;
    pen_app (*app)(void);
    void (*step)(peer *p);    /* by hand; NULL: */
    pen_app (*without)(void); /* the application beside it */
    int doubles;              /* of a record */
    bool equal;               /* values of field 0 are the same bits */
    enum { RATIO, NS_PER_NODE, US_PER_STEP } unit;
    double limit;
} comparison;

static const comparison rows[] = {
    { "heat / by hand", "hex:300x300", heat, peer_mean, NULL, 1, true, RATIO, 1.05 },
    { "heat / by hand", "hex:1000x1000", heat, peer_mean, NULL, 1, true, RATIO, 1.05 },
    { "hex / by hand", "hex:300x300", hex, peer_mean, NULL, 1, true, RATIO, 1.05 },
    { "hex / by hand", "hex:1000x1000", hex, peer_mean, NULL, 1, true, RATIO, 1.05 },
    { "random / by hand", "random:nodes=90000", hex, peer_mean, NULL, 1, true, RATIO, 1.10 },
    { "64-byte records / by hand", "hex:300x300", records, peer_mean_of_records, NULL, 8, true, RATIO, 1.10 },
    { "wave / by hand", "hex:300x300", wave, peer_wave, NULL, 1, true, RATIO, 1.10 },
    { "cg / by hand", "hex:300x300", cg, peer_cg, NULL, 1, false, RATIO, 1.10 },
    { "heat with a sum / without", "hex:1000x1000", heat_sum, NULL, heat, 1, false, RATIO, 1.2 },
    { "two sums of Gray-Scott, ns per node", "hex:600x600", gray_scott_sums, NULL, gray_scott, 2, false, NS_PER_NODE,
      5 },
    { "three observables, us per step", "hex:32x32", heat_three, NULL, heat, 1, false, US_PER_STEP, 2 },
};

typedef struct pair {
    const comparison *row;
    pen_run *run, *without;
    peer *peer;
} pair;

static pen_run *create_run(pen_app app, const pen_graph *graph)
{
    pen_run *run = NULL;
    const pen_run_options options = { .partitioner = "block" };
    bench_require(pen_run_create(MPI_COMM_WORLD, graph, &app, &options, &run), app.name);
    return run;
}

static peer *create_peer(const comparison *row, const pen_run *run)
{
    const pen_store *s = run->store;
    const peer graph = {
        .owned = s->owned, .boundary = s->boundary, .shadows = s->shadows, .rows = s->rows, .columns = s->columns
    };
    peer *p = peer_create(graph, s->gids, row->doubles);
    const pen_local local = pen_run_local(run);
    bench_require(p ? PEN_OK : PEN_ERR_MEMORY, "by hand");
    for (int f = 0; f < run->app->fields.count; f++)
        memcpy(p->planes[f], local.fields[f], (size_t)s->owned * (size_t)row->doubles * sizeof(double));
    if (row->step == peer_cg) { /* the first direction, which the application finds in its first step, is r */
        memcpy(p->planes[2], p->planes[1], (size_t)s->owned * sizeof(double));
        p->sum = pen_run_observed_real(run, 0);
    }
    peer_exchange(p, p->planes[0], row->doubles);
    return p;
}

static double advance(const pair *p, bool first, int64_t steps)
{
    pen_run *run = first ? p->run : p->without;
    if (run) return bench_steps(run, steps, p->row->name);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int64_t i = 0; i < steps; i++) p->row->step(p->peer);
    return bench_slowest((MPI_Wtime() - start) / (double)steps);
}

static void compare(const pair *p)
{
    const size_t bytes = (size_t)p->run->store->owned * (size_t)p->row->doubles * sizeof(double);
    (void)advance(p, true, 3);
    (void)advance(p, false, 3);
    if (!p->row->equal) return;
    const bool same = memcmp(pen_run_local(p->run).fields[0], p->peer->planes[0], bytes) == 0;
    bench_require(same ? PEN_OK : pen_fail(PEN_ERR_CHECK, "values differ"), p->row->name);
}

static void report(const pair *p, const double *a, const double *b, int samples, int size)
{
    const comparison *row = p->row;
    double value = bench_ratios(a, b, samples).median, added = bench_differences(a, b, samples).median;
    if (row->unit == NS_PER_NODE) value = 1e9 * added / ((double)p->run->graph.nodes / size);
    if (row->unit == US_PER_STEP) value = 1e6 * added;
    printf("%-36s %-20s %10.2f %10.2f %8.3f %8.2f%s\n", row->name, row->graph, 1e6 * bench_summarize(a, samples).median,
           1e6 * bench_summarize(b, samples).median, value, row->limit, value > row->limit ? "  above" : "");
}

static void measure(const comparison *row, int samples, int rank, int size)
{
    pen_graph *graph = NULL;
    double *a = bench_room(samples), *b = bench_room(samples);
    bench_require(pen_graph_generate(MPI_COMM_WORLD, row->graph, &graph), row->graph);
    pair p = { .row = row, .run = create_run(row->app(), graph) };
    if (row->without) p.without = create_run(row->without(), graph);
    else p.peer = create_peer(row, p.run);
    pen_graph_destroy(&graph);
    compare(&p);
    int64_t steps = 1 + (int64_t)(20e-3 / advance(&p, true, 10));
    MPI_Bcast(&steps, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    for (int i = 0; i < samples; i++) {
        a[i] = advance(&p, true, steps);
        b[i] = advance(&p, false, steps);
    }
    if (rank == 0) report(&p, a, b, samples, size);
    pen_run_destroy(&p.run);
    pen_run_destroy(&p.without);
    if (p.peer) peer_destroy(p.peer);
    free(a);
    free(b);
}

int main(int argc, char **argv)
{
    int64_t samples = 21;
    const char *only = "";
    const pen_option options[] = {
        { "samples", "N", "rounds (21)", PEN_OPTION_INT, &samples, 1, 10000 },
        { "only", "TEXT", "the rows whose names contain it", PEN_OPTION_TEXT, &only, 0, 0 },
        { .name = NULL },
    };
    bench_start(argc, argv, options);
    if (bench_ranks > 2) bench_require(pen_fail(PEN_ERR_ARGUMENT, "one or two ranks"), argv[0]);
    if (bench_rank == 0) {
        printf("transport fence, partitioner block, %" PRId64 " samples\n%-36s %-20s %10s %10s %8s %8s\n", samples, "",
               "graph", "us/step", "other", "median", "limit");
    }
    for (int i = 0; i < PEN_COUNT_OF(rows); i++)
        if (strstr(rows[i].name, only)) measure(&rows[i], (int)samples, bench_rank, bench_ranks);
    return MPI_Finalize();
}
