/* observed_test - observables and their effects: node functions that read global values, of the previous step and of
 * this one; runs that end when they are done; and the history of long runs. The reference is a serial loop over plain
 * arrays that shares no code with the library; its sums of doubles have few bits, so that any order is exact.
 * pen_mpi_test(RANKS 1 2 3 5) */
#include "halo/connect.h"
#include "observables/series.h"
#include "tests/support/check.h"
#include "tests/support/world.h"

#include <fcntl.h>
#include <unistd.h>

enum { VALUE, AUX };
enum { TOTAL, LEAST, MEASURE, INNER, PEAK, OBSERVABLES };
enum { MOST_STEPS = 22, MOST_NODES = 80 };

static uint64_t bits(double value)
{
    uint64_t image;
    memcpy(&image, &value, sizeof image);
    return image;
}

/* Values in few bits. */
static double measure(uint64_t value) { return (double)(value % 1024) / 64.0; }

static uint64_t first_value(pen_gid gid) { return scramble((uint64_t)gid, 17); }

/* A node's next value from its own, its neighbours' and the global values. */
static uint64_t mix_of(uint64_t own, uint64_t neighbors, int64_t total, double all)
{
    return scramble(scramble(own, neighbors), (uint64_t)total ^ bits(all));
}
static uint64_t settle_of(uint64_t aux, int64_t inner, double peak, int64_t least)
{
    return scramble(scramble(aux, (uint64_t)inner), bits(peak) ^ (uint64_t)least);
}

static bool enough(int64_t total) { return (uint64_t)total % 11 == 3; }

/* ---- The application ------------------------------------------------------------------------ */

static void init(const pen_view *v)
{
    *PEN_NEXT(v, VALUE, uint64_t) = first_value(pen_id(v));
    *PEN_NEXT(v, AUX, uint64_t) = 0;
}

static void mix(const pen_view *v)
{
    uint64_t sum = 0;
    for (int32_t i = 0; i < pen_degree(v); i++) sum = scramble(sum, *PEN_NEIGHBOR(v, VALUE, uint64_t, i));
    *PEN_NEXT(v, AUX, uint64_t) = mix_of(*PEN_SELF(v, VALUE, uint64_t), sum, pen_observed_int(v, TOTAL),
                                         pen_observed_real(v, MEASURE));
}

static void observe_aux(const pen_view *v, pen_observation *o)
{
    uint64_t aux = *PEN_SELF(v, AUX, uint64_t);
    pen_observe_int(o, INNER, (int64_t)aux);
    pen_observe_real(o, PEAK, measure(aux));
}
PEN_OBSERVE_SWEEP(observe_aux)

static void settle(const pen_view *v)
{
    *PEN_NEXT(v, VALUE, uint64_t) = settle_of(*PEN_SELF(v, AUX, uint64_t), pen_observed_int(v, INNER),
                                              pen_observed_real(v, PEAK), pen_observed_int(v, LEAST));
}

static int64_t steps_seen; /* the sum of pen_step in .observe */

static void observe(const pen_view *v, pen_observation *o)
{
    uint64_t value = *PEN_SELF(v, VALUE, uint64_t);
    steps_seen += pen_step(v);
    pen_observe_int(o, TOTAL, (int64_t)value);
    pen_observe_int(o, LEAST, (int64_t)value);
    pen_observe_real(o, MEASURE, measure(value));
}
PEN_OBSERVE_SWEEP(observe)

static void print(const pen_view *v, FILE *out)
{
    fprintf(out, "%" PRIu64 " %" PRIu64, *PEN_SELF(v, VALUE, uint64_t), *PEN_SELF(v, AUX, uint64_t));
}

static bool done(const pen_run *run, const void *params) { return enough(pen_run_observed_int(run, TOTAL)); }

static const pen_field fields[] = { { .name = "value", .size = sizeof(uint64_t) },
                                    { .name = "aux", .size = sizeof(uint64_t) } };
static const pen_phase phases[] = {
    { "mix", .node = mix, .reads = PEN_SET(VALUE), .writes = PEN_SET(AUX) },
    { "settle", .node = settle, .writes = PEN_SET(VALUE), .observe = observe_aux_sweep,
      .observes = PEN_SET(INNER, PEAK) },
};
static const pen_observable observables[OBSERVABLES] = {
    [TOTAL] = { "total", PEN_SUM_INT, 1 },      [LEAST] = { "least", PEN_MIN_INT, 1 },
    [MEASURE] = { "measure", PEN_SUM_REAL, 1 }, [INNER] = { "inner", PEN_SUM_INT, 1 },
    [PEAK] = { "a,\"b\"", PEN_MAX_REAL, 1 },
};
static const pen_app good = { .name = "observed",
                              PEN_FIELDS(fields),
                              PEN_PHASES(phases),
                              PEN_OBSERVABLES(observables, observe_sweep),
                              .init = init,
                              .output.print = print };

/* The same with sweeps. */
static const pen_phase swept_phases[] = {
    { "mix", .node = mix, .reads = PEN_SET(VALUE), .writes = PEN_SET(AUX) },
    { "settle", .node = settle, .writes = PEN_SET(VALUE), .observe = observe_aux_sweep,
      .observes = PEN_SET(INNER, PEAK) },
};
static pen_app good_in_sweeps(void)
{
    pen_app app = good;
    app.phases.list = swept_phases;
    app.observables.observe = observe_sweep;
    return app;
}

/* ---- The same as a loop --------------------------------------------------------------------- */

typedef struct moment {
    int64_t total, least, inner;
    double measure, peak;
} moment;

typedef struct reference {
    uint64_t value[MOST_NODES], aux[MOST_NODES];
    moment moments[MOST_STEPS + 1];
    int steps;
} reference;

static void observe_reference(const graph_case *g, reference *r, moment *m)
{
    m->total = 0;
    m->measure = 0.0;
    m->least = INT64_MAX;
    for (int i = 0; i < g->nodes; i++) {
        m->total = (int64_t)((uint64_t)m->total + r->value[i]);
        if ((int64_t)r->value[i] < m->least) m->least = (int64_t)r->value[i];
        m->measure += measure(r->value[i]);
    }
}

static void step_reference(const graph_case *g, reference *r, const moment *before, moment *m)
{
    m->inner = 0;
    m->peak = -1.0;
    for (int i = 0; i < g->nodes; i++) {
        uint64_t sum = 0;
        for (int j = 0; j < g->degree[i]; j++) sum = scramble(sum, r->value[g->neighbors[i][j]]);
        r->aux[i] = mix_of(r->value[i], sum, before->total, before->measure);
        m->inner = (int64_t)((uint64_t)m->inner + r->aux[i]);
        if (measure(r->aux[i]) > m->peak) m->peak = measure(r->aux[i]);
    }
    for (int i = 0; i < g->nodes; i++) r->value[i] = settle_of(r->aux[i], m->inner, m->peak, before->least);
    observe_reference(g, r, m);
}

static void compute_reference(const graph_case *g, int steps, bool ends, reference *r)
{
    memset(r, 0, sizeof *r);
    for (int i = 0; i < g->nodes; i++) r->value[i] = first_value(g->gids[i]);
    observe_reference(g, r, &r->moments[0]);
    while (r->steps < steps) {
        r->steps++;
        step_reference(g, r, &r->moments[r->steps - 1], &r->moments[r->steps]);
        if (ends && enough(r->moments[r->steps].total)) break;
    }
}

/* ---- Comparisons ---------------------------------------------------------------------------- */

static int index_of(const graph_case *g, pen_gid gid)
{
    for (int i = 0; i < g->nodes; i++)
        if (g->gids[i] == gid) return i;
    return 0;
}

static void compare_moment(const pen_run *run, const moment *m)
{
    CHECK(pen_run_observed_int(run, TOTAL) == m->total);
    CHECK(pen_run_observed_int(run, LEAST) == m->least);
    CHECK(pen_run_observed_int(run, INNER) == m->inner);
    CHECK(pen_run_observed_real(run, MEASURE) == m->measure);
    CHECK(pen_run_observed_real(run, PEAK) == m->peak);
}

static void compare(const pen_run *run, const graph_case *g, const reference *r)
{
    pen_local local = pen_run_local(run);
    for (pen_lid s = 0; s < local.count; s++) {
        int i = index_of(g, local.gids[s]);
        CHECK(((const uint64_t *)local.fields[VALUE])[s] == r->value[i]);
        CHECK(((const uint64_t *)local.fields[AUX])[s] == r->aux[i]);
    }
    CHECK_INT(pen_run_step(run), r->steps);
    compare_moment(run, &r->moments[r->steps]);
    CHECK_INT(pen_series_of(run)->count, r->steps);
    for (int s = 0; s < pen_series_of(run)->count && s < r->steps; s++) {
        const int64_t *found = pen_series_of(run)->values + s * OBSERVABLES;
        CHECK(found[TOTAL] == r->moments[s + 1].total && found[INNER] == r->moments[s + 1].inner);
        double measure;
        memcpy(&measure, &found[MEASURE], sizeof measure);
        CHECK(measure == r->moments[s + 1].measure);
    }
    CHECK(pen_series_of(run)->first[TOTAL] == r->moments[0].total && pen_series_of(run)->first[INNER] == 0);
}

/* ---- Cases ---------------------------------------------------------------------------------- */

static const char *path_of(const char *name)
{
    static char path[64];
    int process = (int)getpid();
    MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(path, sizeof path, "/tmp/observed_test.%d.%s", process, name);
    return path;
}

/* Lines of steps from..to as they must be. */
static void print_lines(const reference *r, int from, int to, FILE *out)
{
    for (int s = from; s <= to; s++) {
        const moment *m = &r->moments[s];
        fprintf(out, "%d,%" PRId64 ",%" PRId64 ",%.17g,%" PRId64 ",%.17g\n", s, m->total, m->least, m->measure,
                m->inner, m->peak);
    }
}

static void compare_file(const char *path, const reference *r, int steps)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank() > 0) return;
    char *found = read_file(path), *expected = NULL;
    size_t size;
    FILE *out = open_memstream(&expected, &size);
    fputs("step,total,least,measure,inner,\"a,\"\"b\"\"\"\n", out);
    print_lines(r, 0, steps, out);
    fclose(out);
    CHECK(strcmp(found, expected) == 0);
    if (strcmp(found, expected) != 0) fprintf(stderr, "expected:\n%sfound:\n%s", expected, found);
    free(found);
    free(expected);
}

/* One way of running: in unequal pieces, to the end. */
static void run_case(const graph_case *g, const pen_graph *graph, const char *transport, bool ends, const reference *r)
{
    pen_app app = g->nodes % 2 ? good : good_in_sweeps();
    const char *path = path_of("csv");
    if (ends) app.end.done = done;
    steps_seen = 0;
    pen_run_options options = { .transport = transport,
                                .partitioner = "random:seed=3",
                                .output.observables = path,
                                .debug.tests = &(pen_test_options){ .migrate_seed = 5, .migrate_part = 0.3 } };
    pen_run *run = run_with(graph, &app, &options);
    if (!run) return;
    CHECK_INT(steps_seen, -pen_run_local(run).count);
    CHECK_INT(pen_run_step(run), 0);
    CHECK(!pen_run_done(run));
    compare_moment(run, &r->moments[0]);
    static const int pieces[] = { 0, 1, 2, 10, MOST_STEPS };
    for (int i = 0, steps = 0; i < 5; i++) {
        int piece = pieces[i] < MOST_STEPS - steps ? pieces[i] : MOST_STEPS - steps;
        CHECK_STATUS(pen_run_steps(run, piece), PEN_OK);
        steps = (int)pen_run_step(run);
        compare_file(path, r, steps); /* what is done is in the file */
        MPI_Barrier(MPI_COMM_WORLD);
    }
    CHECK_INT(pen_run_done(run), ends && r->steps < MOST_STEPS);
    compare(run, g, r);
    expect_verified(run);
    if (pen_run_done(run)) {
        CHECK_STATUS(pen_run_steps(run, 3), PEN_OK);
        CHECK_INT(pen_run_step(run), r->steps);
    }
    pen_run_destroy(&run);
    if (check_rank() == 0) unlink(path);
}

static void test_cases(void)
{
    static reference r;
    for (int number = 0; number < CASES; number++) {
        graph_case g = case_make(number);
        pen_graph *graph = graph_of(&g, 4);
        for (int ends = 0; ends <= 1; ends++) {
            compute_reference(&g, MOST_STEPS, ends, &r);
            for (int t = 0; pen_transports[t]; t++)
                if (number == 6 || t == (number + ends) % 8) run_case(&g, graph, pen_transports[t]->name, ends, &r);
        }
        pen_graph_destroy(&graph);
        case_free(&g);
    }
}

/* ---- until ---------------------------------------------------------------------------------- */

/* Counts 0, 1, 2, ...: the sum over nodes, half of it as a real, and a NaN. */
enum { COUNT, HALF, NOTHING };
static void start(const pen_view *v) { *PEN_NEXT(v, VALUE, int64_t) = 0; }
static void count_on(const pen_view *v) { *PEN_NEXT(v, VALUE, int64_t) = *PEN_SELF(v, VALUE, int64_t) + 1; }
static void observe_count(const pen_view *v, pen_observation *o)
{
    if (pen_id(v) == 0) pen_observe_int(o, COUNT, *PEN_SELF(v, VALUE, int64_t));
    if (pen_id(v) == 0) pen_observe_real(o, HALF, 0.5 * (double)*PEN_SELF(v, VALUE, int64_t));
    pen_observe_real(o, NOTHING, 0.0 / (double)(pen_step(v) > 5 ? 1 : 0));
}
PEN_OBSERVE_SWEEP(observe_count)
static void print_count(const pen_view *v, FILE *out) { fprintf(out, "%" PRId64, *PEN_SELF(v, VALUE, int64_t)); }
static const pen_field one_field[] = { { .name = "value", .size = sizeof(int64_t) } };
static const pen_phase one_phase[] = { { "count", .node = count_on, .writes = PEN_SET(VALUE) } };
static const pen_observable counted[] = { [COUNT] = { "count", PEN_SUM_INT, 1 },
                                          [HALF] = { "count<half", PEN_MAX_REAL, 1 },
                                          [NOTHING] = { "none, at first", PEN_SUM_REAL, 1 } };
static const pen_app counter = { .name = "counter",
                                 PEN_FIELDS(one_field),
                                 PEN_PHASES(one_phase),
                                 PEN_OBSERVABLES(counted, observe_count_sweep),
                                 .init = start,
                                 .output.print = print_count };

static void expect_end(const pen_graph *graph, const char *until, int64_t step)
{
    pen_run *run = run_with(graph, &counter, &(pen_run_options){ .until = until });
    if (!run) return;
    CHECK_STATUS(pen_run_steps(run, 12), PEN_OK);
    if (pen_run_step(run) != step) fprintf(stderr, "    until %s\n", until);
    CHECK_INT(pen_run_step(run), step);
    CHECK_INT(pen_run_done(run), run->end == PEN_END_UNTIL);
    expect_verified(run);
    pen_run_destroy(&run);
}

static void expect_refused(const pen_graph *graph, const pen_app *app, const char *until, const char *why)
{
    pen_run *run = NULL;
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, app, &(pen_run_options){ .until = until }, &run), PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), why);
    CHECK(!run);
}

static void test_until(const pen_graph *graph)
{
    expect_end(graph, NULL, 12);
    expect_end(graph, "count>=3", 3);
    expect_end(graph, "count>3", 4);
    expect_end(graph, "count<100", 1); /* never on the initial state */
    expect_end(graph, "count<=0", 12);
    expect_end(graph, "count<half>=2.5", 5);
    expect_end(graph, "count<half>2.5e0,count>=2", 6);
    expect_end(graph, "count>=4,count<half>1", 4);
    expect_end(graph, "count>=4,count<4", 12);
    expect_end(graph, "none, at first<=0", 7); /* a NaN before, which fulfils nothing */
    expect_end(graph, "none, at first>=0,count>=9", 9);
    expect_refused(graph, &counter, "cuont>=3", "unknown observable cuont: did you mean count?");
    expect_refused(graph, &counter, "count=3", "not a condition: count=3");
    expect_refused(graph, &counter, "count", "not a condition: count");
    expect_refused(graph, &counter, "", "not a condition");
    expect_refused(graph, &counter, "count<3,", "not a condition");
    expect_refused(graph, &counter, "count<0.5", "count<0.5: must be a whole number, like count");
    expect_refused(graph, &counter, "count<half<x", "must be a finite number, like count<half");
    expect_refused(graph, &counter, "count<half<nan", "must be a finite number");
    expect_refused(graph, &counter, "count<", "must be a whole number");
    pen_app blind = counter;
    blind.observables.count = 0;
    blind.observables.observe = NULL;
    expect_refused(graph, &blind, "count<3", "needs an application that has observables");
}

/* ---- Invalid applications ------------------------------------------------------------------- */

static void expect_wrong(const pen_graph *graph, const pen_app *app, const char *why)
{
    pen_run *run = NULL;
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, app, NULL, &run), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), why);
    CHECK(!run);
}

static const char *accept_all(const pen_run *run, const void *params) { return NULL; }

static void test_wrong_phases(const pen_graph *graph)
{
    static const pen_phase no_mask[] = { { "a", .node = mix, .writes = PEN_SET(0), .observe = observe_aux_sweep } };
    static const pen_phase no_function[] = { { "a", .node = mix, .writes = PEN_SET(0), .observes = PEN_SET(0) } };
    static const pen_phase unknown[] = { { "a", .node = mix, .writes = PEN_SET(0), .observe = observe_aux_sweep,
                                           .observes = PEN_SET(OBSERVABLES) } };
    static const pen_phase twice[] = {
        { "a", .node = mix, .writes = PEN_SET(0), .observe = observe_aux_sweep, .observes = PEN_SET(INNER) },
        { "b", .node = mix, .writes = PEN_SET(0), .observe = observe_aux_sweep, .observes = PEN_SET(PEAK, INNER) },
    };
#define EXPECT_WRONG(why, ...)          \
    do {                                \
        pen_app app = good;             \
        __VA_ARGS__;                    \
        expect_wrong(graph, &app, why); \
    } while (0)
    EXPECT_WRONG("phase a needs both .observe and .observes", app.phases.list = no_mask, app.phases.count = 1);
    EXPECT_WRONG("phase a needs both .observe and .observes", app.phases.list = no_function, app.phases.count = 1);
    EXPECT_WRONG("phase a observes an unknown observable, 5", app.phases.list = unknown, app.phases.count = 1);
    EXPECT_WRONG("observable \"inner\" belongs to two phases", app.phases.list = twice, app.phases.count = 2);
    EXPECT_WRONG("observables without an observe function", app.observables.observe = NULL);
    EXPECT_WRONG("a check without observables", app.observables.count = 0, app.phases.list = phases,
                 app.phases.count = 1, app.observables.observe = NULL, app.check = accept_all);
}

/* Phases may have all observables to themselves. */
static void observe_in_phase(const pen_view *v, pen_observation *o) { observe_count(v, o); }
PEN_OBSERVE_SWEEP(observe_in_phase)

static void test_only_phases(const pen_graph *graph)
{
    pen_phase phase = one_phase[0];
    pen_app app = counter;
    phase.observe = observe_in_phase_sweep;
    phase.observes = (pen_set)PEN_SET(COUNT, HALF, NOTHING);
    app.phases.list = &phase;
    app.observables.observe = NULL;
    pen_run *run = run_with(graph, &app, &(pen_run_options){ .until = "count>=5" });
    CHECK(pen_run_observed_int(run, COUNT) == 0 && pen_run_observed_real(run, HALF) == 0.0);
    CHECK_STATUS(pen_run_steps(run, 12), PEN_OK);
    CHECK_INT(pen_run_step(run), 6); /* before the sixth step there were five */
    expect_verified(run);
    pen_run_destroy(&run);
}

/* Results of nodes would replace the file of observables. */
static void test_one_file(const pen_graph *graph)
{
    const pen_member member = { "value", VALUE, PEN_I64, 0, 1 };
    pen_app app = counter;
    pen_run *run = NULL;
    app.output.members.list = &member;
    app.output.members.count = 1;
    const pen_run_options options = { .output = { .path = "one.csv", .observables = "one.csv" } };
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &app, &options, &run), PEN_ERR_INPUT);
    CHECK_CONTAINS(pen_error_message(), "observables are the same file, one.csv");
}

/* ---- A long run ----------------------------------------------------------------------------- */

static void test_series(const pen_graph *graph)
{
    pen_run *run = run_with(graph, &counter, NULL);
    for (int64_t steps = 511; steps <= 2200; steps += 130) {
        CHECK_STATUS(pen_run_steps(run, steps - pen_run_step(run)), PEN_OK);
        const pen_series *s = pen_series_of(run);
        CHECK(s->count < PEN_SERIES && s->count == steps / s->stride);
        CHECK(s->stride == 1 || s->count >= PEN_SERIES / 2);
        for (int m = 0; m < s->count; m++) CHECK_INT(s->values[3 * m + COUNT], (m + 1) * s->stride);
        CHECK_INT(s->first[COUNT], 0);
    }
    pen_run_destroy(&run);
}

CHECKS()
{
    RUN(test_cases());
    pen_graph *graph = graph_from("hex:4x3");
    RUN(test_until(graph));
    RUN(test_wrong_phases(graph));
    RUN(test_only_phases(graph));
    RUN(test_one_file(graph));
    RUN(test_series(graph));
    pen_graph_destroy(&graph);
}
