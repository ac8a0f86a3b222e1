/* queue.c - programs with few active nodes: the examples, and shortest paths, with active sets and without, and by hand
 * with a queue (queue_hand.c).
 *
 *     mpirun -n 2 queue_bench [--samples=N] [--only=TEXT]
 *
 * A row runs a program with --active=off and auto in turn, and compares their checksums. Printed are the medians of a
 * step's microseconds (of the processor on one rank, else wall time of the slowest rank), the median of their ratios,
 * and on one rank the seconds by hand, whose results are compared, too, and ours over these. */
#include "tests/bench/bench.h"
#include "tests/bench/queue_hand.h"
#include "tests/bench/step_apps.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

/* ---- The programs --------------------------------------------------------------------------------- */

static pen_app example(int (*its_main)(int, char **))
{
    (void)its_main(0, NULL);
    bench_kept.observables.count = 0;
    bench_kept.observables.observe = NULL;
    return bench_kept;
}

typedef struct place {
    double distance;
} place;
enum { PLACE };

static void begin_paths(const pen_view *v) { PEN_NEXT(v, PLACE, place)->distance = pen_id(v) == 0 ? 0.0 : INFINITY; }

static void relax(const pen_view *v)
{
    double best = PEN_SELF(v, PLACE, place)->distance;
    for (int32_t i = 0; i < pen_degree(v); i++) {
        const double over = PEN_NEIGHBOR(v, PLACE, place, i)->distance + 1.0;
        if (over < best) best = over;
    }
    PEN_NEXT(v, PLACE, place)->distance = best;
}
PEN_SWEEP(relax)

static void observe_paths(const pen_view *v, pen_observation *o)
{
    const double distance = PEN_SELF(v, PLACE, place)->distance;
    pen_observe_real(o, 0, isinf(distance) ? 0.0 : distance);
}
PEN_OBSERVE_SWEEP(observe_paths)

static const pen_field places[] = { { "place", sizeof(place), .plain = true } };
static const pen_phase opaque[] = { { "relax", .node = relax, .reads = PEN_SET(PLACE), .writes = PEN_SET(PLACE) } };
static const pen_phase relaxes[] = { { "relax", .sweep = relax_sweep, .reads = PEN_SET(PLACE),
                                       .writes = PEN_SET(PLACE) } };
static const pen_observable sums[] = { { "sum", PEN_SUM_REAL, 1 } };
static const pen_app paths_app = {
    .name = "paths", PEN_FIELDS(places), PEN_PHASES(relaxes), .init = begin_paths, .end.quiet = true
};

static pen_app paths(void) { return paths_app; }
static pen_app opaque_paths(void)
{
    pen_app app = paths_app;
    app.phases.list = opaque;
    return app;
}
static pen_app paths_with_sum(void)
{
    pen_app app = paths_app;
    app.observables.list = sums;
    app.observables.count = 1;
    app.observables.observe = observe_paths_sweep;
    return app;
}
static pen_app fire(void) { return example(bench_fire_main); }
static pen_app life(void) { return example(bench_life_main); }
static pen_app epidemic(void) { return example(bench_epidemic_main); }

/* ---- By hand ---------------------------------------------------------------------------------------- */

static double processor_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum { SIDE = 1000, SEED = 1 };

/* Seconds by hand, whose results are those of the run, which is on one rank. */
typedef double hand(pen_run *run);

static double paths_by_hand(pen_run *run)
{
    queue_graph g = queue_hex(SIDE, SIDE);
    double *distances = malloc((size_t)g.nodes * sizeof *distances);
    int32_t *queue = malloc((size_t)g.nodes * sizeof *queue);
    memset(distances, 0, (size_t)g.nodes * sizeof *distances);
    memset(queue, 0, (size_t)g.nodes * sizeof *queue);
    const double begun = processor_time();
    queue_paths(&g, distances, queue);
    const double seconds = processor_time() - begun;
    const pen_local local = pen_run_local(run);
    for (pen_lid s = 0; s < local.count; s++)
        if (((const place *)local.fields[PLACE])[s].distance != distances[local.gids[s]])
            bench_require(PEN_ERR_CHECK, "the distances by hand differ");
    free(distances);
    free(queue);
    queue_free(&g);
    return seconds;
}

static double fire_by_hand(pen_run *run)
{
    queue_graph g = queue_hex(SIDE, SIDE);
    const size_t nodes = (size_t)g.nodes;
    uint8_t *state = malloc(nodes), *burning = calloc(nodes, 1);
    int32_t *queue = malloc(2 * nodes * sizeof *queue);
    memset(queue, 0, 2 * nodes * sizeof *queue);
    for (size_t i = 0; i < nodes; i++) { /* as the example begins */
        const uint64_t counter[2] = { i, 0 }, key[2] = { SEED, 0 };
        uint64_t random[2];
        pen_threefry(counter, key, random);
        state[i] = pen_unit_real(random[0]) < 0.7;
    }
    state[SIDE * (SIDE / 2) + SIDE / 2] = 2;
    const double begun = processor_time();
    queue_fire(&g, 0.7, SEED, state, queue, burning);
    const double seconds = processor_time() - begun;
    const pen_local local = pen_run_local(run);
    for (pen_lid s = 0; s < local.count; s++)
        if (((const uint8_t *)local.fields[0])[s] != state[local.gids[s]])
            bench_require(PEN_ERR_CHECK, "the fire by hand differs");
    free(state);
    free(burning);
    free(queue);
    queue_free(&g);
    return seconds;
}

/* ---- Rows ---------------------------------------------------------------------------------------------- */

typedef struct row {
    const char *name;
    const char *spec; /* NULL: the program's own rows */
    pen_app (*app)(void);
    int64_t before, steps; /* that are not measured, and that are; 0: to the end */
    hand *by_hand;         /* or NULL */
} row;

static const row rows[] = {
    { "paths", "hex:1000x1000", paths, 0, 0, paths_by_hand },
    { "paths, an opaque function", "hex:1000x1000", opaque_paths, 0, 0, paths_by_hand },
    { "paths, a sum in every step", "hex:1000x1000", paths_with_sum, 0, 0, paths_by_hand },
    { "fire", "hex:1000x1000", fire, 0, 0, fire_by_hand },
    { "life, settled soup", NULL, life, 4000, 200, NULL },
    { "epidemic, random graph", "random:nodes=200000,degree=10", epidemic, 0, 0, NULL },
    { "epidemic, R-MAT", "rmat:scale=17,factor=5", epidemic, 0, 0, NULL },
};

typedef struct sample {
    double seconds, hand;
    int64_t steps;
    uint64_t checksum;
} sample;

static void set_option(const pen_app *app, const char *name, int64_t value)
{
    for (const pen_option *o = app->options; o && o->name; o++)
        if (strcmp(o->name, name) == 0) *(int64_t *)o->value = value;
}

static pen_graph *make_graph(const row *r, const pen_app *app)
{
    pen_graph *graph = NULL;
    if (r->spec) {
        bench_require(pen_graph_generate(MPI_COMM_WORLD, r->spec, &graph), r->spec);
        return graph;
    }
    pen_world world = { .ranks = 1 };
    pen_csr mine = { .count = 0 };
    int rank;
    MPI_Comm_size(MPI_COMM_WORLD, &world.ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    set_option(app, "width", 512);
    set_option(app, "height", 512);
    (void)app->graph.rows(app->params, &world, rank, &mine);
    bench_require(pen_graph_from_csr(MPI_COMM_WORLD, &mine, &graph), r->name);
    return graph;
}

static sample take(const row *r, const pen_graph *graph, const pen_app *given, pen_active active, int size)
{
    pen_run *run = NULL;
    sample s = { .hand = 0.0 };
    pen_app app = *given;
    if (r->before > 0) app.end.quiet = false;
    bench_require(pen_run_create(MPI_COMM_WORLD, graph, &app,
                                 &(pen_run_options){ .partitioner = "block", .active = active, .seed = SEED }, &run),
                  r->name);
    bench_require(pen_run_steps(run, r->before), r->name);
    MPI_Barrier(MPI_COMM_WORLD);
    const double wall = MPI_Wtime(), processor = processor_time();
    bench_require(pen_run_steps(run, r->steps ? r->steps : PEN_UNLIMITED), r->name);
    s.seconds = bench_slowest(size == 1 ? processor_time() - processor : MPI_Wtime() - wall);
    s.steps = pen_run_step(run) - r->before;
    bench_require(pen_run_checksum(run, &s.checksum), r->name);
    if (r->by_hand && size == 1 && active == PEN_ACTIVE_AUTO) s.hand = r->by_hand(run);
    pen_run_destroy(&run);
    return s;
}

static void measure(const row *r, int samples, int rank, int size)
{
    const pen_app app = r->app();
    pen_graph *graph = make_graph(r, &app);
    double *off = bench_room(samples), *on = bench_room(samples), *hands = bench_room(samples);
    int64_t steps = 0;
    for (int i = 0; i < samples; i++) {
        const sample a = take(r, graph, &app, PEN_ACTIVE_OFF, size), b = take(r, graph, &app, PEN_ACTIVE_AUTO, size);
        if (a.checksum != b.checksum || a.steps != b.steps) bench_require(PEN_ERR_CHECK, r->name);
        off[i] = a.seconds, on[i] = b.seconds, hands[i] = b.hand, steps = b.steps;
    }
    if (rank == 0) {
        const bench_summary ratio = bench_ratios(off, on, samples), mine = bench_summarize(on, samples);
        printf("%-28s %6" PRId64 " %10.2f %10.3f %8.2f  [%.2f, %.2f]", r->name, steps,
               1e6 * bench_summarize(off, samples).median / (double)steps, 1e6 * mine.median / (double)steps,
               ratio.median, ratio.min, ratio.max);
        if (hands[0] > 0.0)
            printf("  by hand %.4f s, ours / by hand %.2f", bench_summarize(hands, samples).median,
                   bench_ratios(on, hands, samples).median);
        printf("\n");
        fflush(stdout);
    }
    free(off);
    free(on);
    free(hands);
    pen_graph_destroy(&graph);
}

int main(int argc, char **argv)
{
    int64_t samples = 7;
    const char *only = "";
    const pen_option options[] = {
        { "samples", "N", "pairs of runs (7)", PEN_OPTION_INT, &samples, 1, 10000 },
        { "only", "TEXT", "the rows whose names contain it", PEN_OPTION_TEXT, &only, 0, 0 },
        { .name = NULL },
    };
    bench_start(argc, argv, options);
    if (bench_rank == 0) {
        printf("transport fence, partitioner block, %" PRId64 " samples; microseconds of a step, %s time\n"
               "%-28s %6s %10s %10s %8s\n",
               samples, bench_ranks == 1 ? "processor" : "wall", "", "steps", "off", "auto", "off/auto");
    }
    for (int i = 0; i < PEN_COUNT_OF(rows); i++)
        if (strstr(rows[i].name, only)) measure(&rows[i], (int)samples, bench_rank, bench_ranks);
    return MPI_Finalize();
}
