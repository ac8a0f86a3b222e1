/* globals_test - values of the whole run, and observables of several components, in node functions, files, results and
 * resumed runs. The reference is a serial loop over plain arrays that shares no code with the library; its sums of
 * doubles have few bits, so that any order is exact.
 * pen_mpi_test(RANKS 1 2 3 5) */
#include "halo/connect.h"
#include "run/state.h"
#include "tests/support/check.h"
#include "tests/support/world.h"

#include <penumbra_checkpoint.h>
#include <penumbra_output.h>
#include <unistd.h>

enum { STEPS = 7, MOST_NODES = 80, RANGE = 1024, BIN_COUNT = 5 };
enum { VALUE };
enum { BINS, TENSOR, LEAST, GREATEST, INNER };

/* A member of each type that files know. */
typedef struct state {
    double t, dt, first;
    int64_t shift, within;
    float share[2];
    int32_t calls;
    int16_t minus;
    uint16_t plus;
    int8_t tiny;
    uint8_t small;
    bool odd;
    uint32_t wide;
    int64_t hidden; /* no member */
} state;

static int64_t wrap(int64_t value) { return (value % RANGE + RANGE) % RANGE; }

/* ---- The application ------------------------------------------------------------------------ */

static void init(const pen_view *v)
{
    *PEN_NEXT(v, VALUE, int64_t) = wrap(pen_id(v) % RANGE * 7 + PEN_GLOBALS(v, state)->calls); /* these are 0 */
}

static void mix(const pen_view *v)
{
    const state *g = PEN_GLOBALS(v, state);
    int64_t sum = 3 * *PEN_SELF(v, VALUE, int64_t) + g->shift + g->hidden + pen_observed_int(v, PEN_COMPONENT(BINS, 3));
    for (int32_t i = 0; i < pen_degree(v); i++) sum += *PEN_NEIGHBOR(v, VALUE, int64_t, i);
    if (pen_observed_real(v, PEN_COMPONENT(TENSOR, 2)) > 3 * pen_observed_real(v, TENSOR) - 1.0) sum += g->odd;
    *PEN_NEXT(v, VALUE, int64_t) = wrap(sum);
}

static void observe_inner(const pen_view *v, pen_observation *o)
{
    int64_t value = *PEN_SELF(v, VALUE, int64_t);
    pen_observe_int(o, PEN_COMPONENT(INNER, (int)(value % 2)), value);
}
PEN_OBSERVE_SWEEP(observe_inner)

static void settle(const pen_view *v)
{
    *PEN_NEXT(v, VALUE, int64_t) = wrap(*PEN_SELF(v, VALUE, int64_t) + PEN_GLOBALS(v, state)->within);
}

static void observe(const pen_view *v, pen_observation *o)
{
    int64_t value = *PEN_SELF(v, VALUE, int64_t);
    int half = (int)(pen_id(v) % 2);
    pen_observe_int(o, PEN_COMPONENT(BINS, (int)(value % BIN_COUNT)), 1);
    for (int c = 0; c < 3; c++) pen_observe_real(o, PEN_COMPONENT(TENSOR, c), (double)((c + 1) * value) / 64.0);
    pen_observe_int(o, PEN_COMPONENT(LEAST, half), value);
    pen_observe_real(o, PEN_COMPONENT(GREATEST, half), (double)value / 8.0);
}
PEN_OBSERVE_SWEEP(observe)

/* The state from observables, by the application and by the reference. */
static void settle_state(state *s, int64_t step, int64_t bin1, int64_t bin2, double tensor, int64_t least)
{
    s->calls++;
    if (step == 0) s->first = tensor;
    else s->t += s->dt;
    s->dt = 1.0 / (double)(3 + bin2);
    s->shift = 3 * bin1 + (least & 7);
    s->hidden = step * bin2;
    s->share[0] = (float)s->dt;
    s->share[1] = -s->share[0];
    s->minus = (int16_t) - (step + 1);
    s->plus = (uint16_t)(65535 - step);
    s->tiny = (int8_t)(-7 * step);
    s->small = (uint8_t)(250 + step);
    s->odd = bin1 % 2;
    s->wide = UINT32_MAX - (uint32_t)step;
}
static int64_t within_of(int64_t even, int64_t odd) { return wrap(even - odd); }

static int repeats; /* of .update, which the strict mode calls twice */
static void update(const pen_run *run, int phase, const void *params, void *globals)
{
    state *s = (state *)globals;
    repeats++;
    CHECK(pen_run_globals(run) == globals);
    if (phase == PEN_BETWEEN_STEPS) {
        settle_state(s, pen_run_step(run), pen_run_observed_int(run, PEN_COMPONENT(BINS, 1)),
                     pen_run_observed_int(run, PEN_COMPONENT(BINS, 2)), pen_run_observed_real(run, TENSOR),
                     pen_run_observed_int(run, PEN_COMPONENT(LEAST, 1)));
        return;
    }
    CHECK_INT(phase, 1);
    s->calls++;
    s->within = within_of(pen_run_observed_int(run, INNER), pen_run_observed_int(run, PEN_COMPONENT(INNER, 1)));
}

static void print(const pen_view *v, FILE *out) { fprintf(out, "%" PRId64, *PEN_SELF(v, VALUE, int64_t)); }

static const pen_field fields[] = { { .name = "value", .size = sizeof(int64_t) } };
static const pen_phase phases[] = {
    { "mix", .node = mix, .reads = PEN_SET(VALUE), .writes = PEN_SET(VALUE) },
    { "settle", .node = settle, .writes = PEN_SET(VALUE), .observe = observe_inner_sweep, .observes = PEN_SET(INNER) },
};
static const pen_observable observables[] = { [BINS] = { "bins", PEN_SUM_INT, BIN_COUNT },
                                              [TENSOR] = { "tensor", PEN_SUM_REAL, 3 },
                                              [LEAST] = { "least", PEN_MIN_INT, 2 },
                                              [GREATEST] = { "greatest", PEN_MAX_REAL, 2 },
                                              [INNER] = { "inner", PEN_SUM_INT, 2 } };
static const pen_member shown[] = {
    PEN_MEMBER(0, state, t, PEN_F64),      PEN_MEMBER(0, state, dt, PEN_F64),
    PEN_MEMBER(0, state, first, PEN_F64),  PEN_MEMBER(0, state, shift, PEN_I64),
    PEN_MEMBER(0, state, within, PEN_I64), { "share", 0, PEN_F32, offsetof(state, share), 2 },
    PEN_MEMBER(0, state, calls, PEN_I32),  PEN_MEMBER(0, state, minus, PEN_I16),
    PEN_MEMBER(0, state, plus, PEN_U16),   PEN_MEMBER(0, state, tiny, PEN_I8),
    PEN_MEMBER(0, state, small, PEN_U8),   PEN_MEMBER(0, state, odd, PEN_BOOL),
    PEN_MEMBER(0, state, wide, PEN_U32),
};
static const pen_globals globals = { sizeof(state), update, PEN_MEMBERS(shown), .time = "t" };
static const pen_member members[] = { { "value", VALUE, PEN_I64, 0, 1 } };
static const pen_app good = { .name = "globals",
                              PEN_FIELDS(fields),
                              PEN_PHASES(phases),
                              PEN_OBSERVABLES(observables, observe_sweep),
                              .output = { .print = print, PEN_MEMBERS(members) },
                              .globals = &globals,
                              .init = init };

/* ---- The same as a loop --------------------------------------------------------------------- */

typedef struct moment {
    int64_t bins[BIN_COUNT], least[2], inner[2];
    double tensor[3], greatest[2];
    state globals;
} moment;

typedef struct reference {
    int64_t value[MOST_NODES];
    moment moments[STEPS + 1];
} reference;

static void observe_reference(const graph_case *g, const reference *r, int step, moment *m)
{
    memset(m->bins, 0, sizeof m->bins);
    memset(m->tensor, 0, sizeof m->tensor);
    for (int half = 0; half < 2; half++) {
        m->least[half] = INT64_MAX;
        m->greatest[half] = -1.0 / 0.0;
    }
    for (int i = 0; i < g->nodes; i++) {
        const int half = (int)(g->gids[i] % 2);
        m->bins[r->value[i] % BIN_COUNT]++;
        for (int c = 0; c < 3; c++) m->tensor[c] += (double)((c + 1) * r->value[i]) / 64.0;
        if (r->value[i] < m->least[half]) m->least[half] = r->value[i];
        if ((double)r->value[i] / 8.0 > m->greatest[half]) m->greatest[half] = (double)r->value[i] / 8.0;
    }
    settle_state(&m->globals, step, m->bins[1], m->bins[2], m->tensor[0], m->least[1]);
}

static void compute_reference(const graph_case *g, reference *r)
{
    memset(r, 0, sizeof *r);
    for (int i = 0; i < g->nodes; i++) r->value[i] = wrap(g->gids[i] % RANGE * 7);
    observe_reference(g, r, 0, &r->moments[0]);
    for (int step = 1; step <= STEPS; step++) {
        moment *m = &r->moments[step];
        int64_t before[MOST_NODES];
        *m = r->moments[step - 1];
        memcpy(before, r->value, sizeof before);
        memset(m->inner, 0, sizeof m->inner);
        for (int i = 0; i < g->nodes; i++) {
            int64_t sum = 3 * before[i] + m->globals.shift + m->globals.hidden + m->bins[3];
            for (int j = 0; j < g->degree[i]; j++) sum += before[g->neighbors[i][j]];
            if (m->tensor[2] > 3 * m->tensor[0] - 1.0) sum += m->globals.odd;
            r->value[i] = wrap(sum);
            m->inner[r->value[i] % 2] += r->value[i];
        }
        m->globals.calls++;
        m->globals.within = within_of(m->inner[0], m->inner[1]);
        for (int i = 0; i < g->nodes; i++) r->value[i] = wrap(r->value[i] + m->globals.within);
        observe_reference(g, r, step, m);
    }
}

/* ---- Comparisons ---------------------------------------------------------------------------- */

static void compare_moment(const pen_run *run, const moment *m)
{
    for (int c = 0; c < BIN_COUNT; c++) CHECK_INT(pen_run_observed_int(run, PEN_COMPONENT(BINS, c)), m->bins[c]);
    for (int c = 0; c < 3; c++) CHECK(pen_run_observed_real(run, PEN_COMPONENT(TENSOR, c)) == m->tensor[c]);
    for (int c = 0; c < 2; c++) {
        CHECK_INT(pen_run_observed_int(run, PEN_COMPONENT(LEAST, c)), m->least[c]);
        CHECK(pen_run_observed_real(run, PEN_COMPONENT(GREATEST, c)) == m->greatest[c]);
        CHECK_INT(pen_run_observed_int(run, PEN_COMPONENT(INNER, c)), m->inner[c]);
    }
    CHECK_INT(pen_run_observed_int(run, BINS), m->bins[0]);
    CHECK(memcmp(pen_run_globals(run), &m->globals, sizeof(state)) == 0);
}

static void compare(pen_run *run, const graph_case *g, const reference *r)
{
    pen_local local = pen_run_local(run);
    for (pen_lid s = 0; s < local.count; s++)
        for (int i = 0; i < g->nodes; i++)
            if (g->gids[i] == local.gids[s]) CHECK_INT(((const int64_t *)local.fields[VALUE])[s], r->value[i]);
    CHECK_INT(pen_run_step(run), STEPS);
    compare_moment(run, &r->moments[STEPS]);
    expect_verified(run);
}

static void print_line(FILE *out, int step, const moment *m)
{
    const state *s = &m->globals;
    fprintf(out, "%d", step);
    for (int c = 0; c < BIN_COUNT; c++) fprintf(out, ",%" PRId64, m->bins[c]);
    for (int c = 0; c < 3; c++) fprintf(out, ",%.17g", m->tensor[c]);
    fprintf(out, ",%" PRId64 ",%" PRId64 ",%.17g,%.17g,%" PRId64 ",%" PRId64, m->least[0], m->least[1], m->greatest[0],
            m->greatest[1], m->inner[0], m->inner[1]);
    fprintf(out, ",%.17g,%.17g,%.17g,%" PRId64 ",%" PRId64 ",%.17g,%.17g,%d,%d,%u,%d,%u,%d,%" PRIu32 "\n", s->t, s->dt,
            s->first, s->shift, s->within, (double)s->share[0], (double)s->share[1], s->calls, s->minus, s->plus,
            s->tiny, s->small, s->odd, s->wide);
}

static char *read_in(const char *folder, const char *name)
{
    char path[96];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return read_file(path);
}

/* Rank 0: the observables' file has the line of every so many steps, and only these. */
static void compare_lines(const char *folder, const reference *r, int every)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank() > 0) return;
    char *found = read_in(folder, "values.csv"), *expected = NULL;
    size_t size;
    FILE *out = open_memstream(&expected, &size);
    fputs("step,bins_0,bins_1,bins_2,bins_3,bins_4,tensor_0,tensor_1,tensor_2,least_0,least_1,greatest_0,greatest_1,"
          "inner_0,inner_1,t,dt,first,shift,within,share_0,share_1,calls,minus,plus,tiny,small,odd,wide\n",
          out);
    for (int step = 0; step <= STEPS; step += every) print_line(out, step, &r->moments[step]);
    fclose(out);
    CHECK(strcmp(found, expected) == 0);
    if (strcmp(found, expected) != 0) fprintf(stderr, "expected:\n%sfound:\n%s", expected, found);
    free(found);
    free(expected);
}

/* ---- Ways of running ------------------------------------------------------------------------ */

/* In two parts, the second one resumed: with another transport and partition, perhaps in the strict mode. */
static void run_case(const graph_case *g, const pen_graph *graph, int way, const reference *r)
{
    char folder[64], csv[96];
    make_folder("globals_test", folder);
    snprintf(csv, sizeof csv, "%s/values.csv", folder);
    pen_run_options options = { .transport = pen_transports[way]->name,
                                .partitioner = "random:seed=3",
                                .debug.tests = &(pen_test_options){ .migrate_seed = 5, .migrate_part = 0.3 },
                                .steps = STEPS,
                                .output = { .observables = csv, .observables_every = way % 4 } };
    pen_run *run = run_with(graph, &good, &options);
    if (!run) return;
    compare_moment(run, &r->moments[0]);
    CHECK_STATUS(pen_run_steps(run, 3), PEN_OK);
    compare_moment(run, &r->moments[3]);
    CHECK_STATUS(pen_run_save(run, folder), PEN_OK);
    CHECK_STATUS(pen_run_steps(run, 2), PEN_OK); /* lines that are written again */
    pen_run_destroy(&run);
    options.transport = NULL;
    options.partitioner = "block";
    options.debug.strict = way % 2 == 0;
    CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, folder, &good, &options, &run), PEN_OK);
    if (!run) return;
    compare_moment(run, &r->moments[3]);
    CHECK_STATUS(pen_run_save(run, folder), PEN_OK); /* the last line is one of the run before */
    pen_run_destroy(&run);
    CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, folder, &good, &options, &run), PEN_OK);
    if (!run) return;
    repeats = 0;
    CHECK_STATUS(pen_run_steps(run, STEPS - 3), PEN_OK);
    CHECK(!options.debug.strict || repeats == 4 * (STEPS - 3));
    compare(run, g, r);
    pen_run_destroy(&run);
    compare_lines(folder, r, way % 4 > 0 ? way % 4 : 1);
    remove_folder(folder);
}

static void test_cases(void)
{
    static reference r;
    for (int number = 0; number < CASES; number++) {
        graph_case g = case_make(number);
        pen_graph *graph = graph_of(&g, 4);
        compute_reference(&g, &r);
        run_case(&g, graph, number % 8, &r);
        pen_graph_destroy(&graph);
        case_free(&g);
    }
}

static void add_node(pen_changes *changes, void *context)
{
    *PEN_FIRST(pen_add_node(changes, 5000, 1), VALUE, int64_t) = 7;
}

/* Before the first step, records that are put make another initial state, and so another first record; and so do
 * changes of the graph. */
static void test_put(const pen_graph *graph)
{
    pen_run *run = run_with(graph, &good, NULL);
    const state before = *(const state *)pen_run_globals(run);
    const pen_gid gid = 1;
    const int64_t value = 1000;
    CHECK_STATUS(pen_run_put(run, VALUE, check_rank() == 0, &gid, &value), PEN_OK);
    const state *after = (const state *)pen_run_globals(run);
    CHECK_INT(after->calls, 1);
    CHECK(after->first == before.first + (1000.0 - 7.0) / 64.0);
    CHECK_STATUS(pen_run_change(run, add_node, NULL), PEN_OK);
    CHECK_INT(after->calls, 1);
    CHECK(after->first == before.first + 1000.0 / 64.0);
    pen_run_destroy(&run);
}

/* The observables' file is this text. */
static void compare_text(const char *folder, const char *expected)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank() == 0) {
        char *text = read_in(folder, "values.csv");
        if (strcmp(text, expected) != 0) fprintf(stderr, "expected:\n%sfound:\n%s", expected, text);
        CHECK(strcmp(text, expected) == 0);
        free(text);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Without observables steps alone are counted; a condition ends the run, and the file has what is shown. */
static void count_steps(const pen_run *run, int phase, const void *params, void *record)
{
    CHECK_INT(phase, PEN_BETWEEN_STEPS);
    ((state *)record)->t = 0.25 * (double)pen_run_step(run);
}

static const char *accept_quarters(const pen_run *run, const void *params)
{
    return ((const state *)pen_run_globals(run))->t == 0.25 * (double)pen_run_step(run) ? NULL : "another time";
}

static void move_on(const pen_view *v)
{
    *PEN_NEXT(v, VALUE, int64_t) = *PEN_SELF(v, VALUE, int64_t) +
                                   (PEN_GLOBALS(v, state)->t == 0.25 * (double)pen_step(v));
}

static void test_alone(const pen_graph *graph)
{
    static const pen_phase alone[] = { { "move", .node = move_on, .writes = PEN_SET(VALUE) } };
    static const pen_globals clock = { sizeof(state), count_steps, .members = { shown, 1 } };
    const pen_app app = { .name = "alone",
                          PEN_FIELDS(fields),
                          PEN_PHASES(alone),
                          .globals = &clock,
                          .check = accept_quarters,
                          .init = init,
                          .output.print = print };
    char folder[64], csv[96];
    make_folder("globals_test", folder);
    snprintf(csv, sizeof csv, "%s/values.csv", folder);
    const pen_run_options options = { .until = "t>=1.25", .output = { .observables = csv, .observables_every = 4 } };
    pen_run *run = run_with(graph, &app, &options);
    if (!run) return;
    CHECK_STATUS(pen_run_steps(run, PEN_UNLIMITED), PEN_OK);
    CHECK_INT(pen_run_step(run), 5);
    const pen_local local = pen_run_local(run);
    for (pen_lid s = 0; s < local.count; s++)
        CHECK_INT(((const int64_t *)local.fields[VALUE])[s], wrap(local.gids[s] % RANGE * 7) + 5);
    compare_text(folder, "step,t\n0,0\n4,1\n");
    CHECK_STATUS(pen_run_save(run, folder), PEN_OK);
    pen_run_destroy(&run);
    if (check_rank() == 0) unlink(csv);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 2; i++) { /* with a new file, which has no line yet */
        const pen_run_options again = { .output = { .observables = csv, .observables_every = 4 } };
        CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, folder, &app, &again, &run), PEN_OK);
        CHECK_STATUS(i == 0 ? pen_run_save(run, folder) : pen_run_steps(run, 4), PEN_OK);
        compare_text(folder, i == 0 ? "step,t\n" : "step,t\n8,2\n");
        pen_run_destroy(&run);
    }
    remove_folder(folder);
}

/* ---- Files of results ----------------------------------------------------------------------- */

static void expect_text(const char *folder, const char *name, const char *part)
{
    if (check_rank() > 0) return;
    char *text = read_in(folder, name);
    CHECK_CONTAINS(text, part);
    free(text);
}

/* The time of the states is that of the globals, also if a resumed run continues a series. */
static void test_time(const pen_graph *graph)
{
    char folder[64], pvd[96], csv[96], entry[2][128], value[64];
    double times[2];
    make_folder("globals_test", folder);
    snprintf(pvd, sizeof pvd, "%s/all.pvd", folder);
    snprintf(csv, sizeof csv, "%s/state.csv", folder);
    pen_run_options options = { .output = { .path = pvd, .every = 2 }, .steps = 4 };
    pen_run *run = run_with(graph, &good, &options);
    if (!run) return;
    CHECK_STATUS(pen_run_steps(run, 2), PEN_OK);
    CHECK_STATUS(pen_run_save(run, folder), PEN_OK);
    times[0] = ((const state *)pen_run_globals(run))->t;
    pen_run_destroy(&run);
    CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, folder, &good, &options, &run), PEN_OK);
    CHECK_STATUS(pen_run_steps(run, 2), PEN_OK);
    times[1] = ((const state *)pen_run_globals(run))->t;
    CHECK_STATUS(pen_run_output(run, csv), PEN_OK);
    pen_run_destroy(&run);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(times[0] > 0.0 && times[1] > times[0]);
    for (int i = 0; i < 2; i++)
        snprintf(entry[i], sizeof entry[i],
                 "timestep=\"%.17g\" step=\"%d\" group=\"\" part=\"0\" file=\"all-00000%d.vtu\"/>", times[i], 2 * i + 2,
                 2 * i + 2);
    expect_text(folder, "all.pvd", "timestep=\"0\" group=");
    expect_text(folder, "all.pvd", entry[0]);
    expect_text(folder, "all.pvd", entry[1]);
    snprintf(value, sizeof value, ">%.17g</DataArray>", times[1]);
    expect_text(folder, "all-000004.vtu", value);
    snprintf(value, sizeof value, ",%.17g\n1,", times[1]);
    expect_text(folder, "state.csv", "gid,value,t\n0,");
    expect_text(folder, "state.csv", value);
    remove_folder(folder);
}

/* ---- A phase that fails and is done again --------------------------------------------------- */

static bool refuses;
static void change(const pen_view *v, pen_changes *c)
{
    *PEN_NEXT(v, VALUE, int64_t) = *PEN_SELF(v, VALUE, int64_t) + 1;
    if (refuses) pen_remove_node(c, 1000);
}

/* The named member "calls", after seven other values, has the value of the record. */
static void compare_member(const pen_run *run)
{
    const pen_observables *o = run->observation;
    CHECK_INT(o->ints[o->values.members + 7], ((const state *)pen_run_globals(run))->calls);
}

static void test_again(const pen_graph *graph)
{
    const pen_phase changing[] = { phases[0],
                                   { "change", .modify = change, .writes = PEN_SET(VALUE),
                                     .observe = observe_inner_sweep, .observes = PEN_SET(INNER) } };
    pen_app app = good;
    pen_run *run[2] = { NULL, NULL };
    app.phases.list = changing;
    for (int i = 0; i < 2; i++) {
        CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &app, NULL, &run[i]), PEN_OK);
        refuses = i == 1;
        if (refuses) CHECK_STATUS(pen_run_steps(run[i], 1), PEN_ERR_ARGUMENT);
        refuses = false;
        compare_member(run[i]);
        CHECK_STATUS(pen_run_steps(run[i], 2), PEN_OK);
    }
    CHECK(memcmp(pen_run_globals(run[0]), pen_run_globals(run[1]), sizeof(state)) == 0);
    CHECK_INT(((const state *)pen_run_globals(run[0]))->calls, 5);
    pen_run_destroy(&run[0]);
    pen_run_destroy(&run[1]);
}

/* ---- Errors --------------------------------------------------------------------------------- */

static void keep_state(const pen_run *run, int phase, const void *params, void *record)
{
    static double kept;
    ((state *)record)->t = kept += 1.0;
}

static void ask_rank(const pen_run *run, int phase, const void *params, void *record)
{
    ((state *)record)->dt = check_rank() > 0;
}

static void ask_rank_late(const pen_run *run, int phase, const void *params, void *record)
{
    ((state *)record)->t = pen_run_step(run) < 2 ? 5.0 : 6.0 + (check_rank() > 0);
}

/* After a step whose globals are wrong they are as before it, on all ranks. */
static void test_undone(const pen_graph *graph)
{
    pen_globals own = globals;
    pen_app app = good;
    pen_run *run = NULL;
    own.update = ask_rank_late;
    app.globals = &own;
    if (check_size() == 1) return;
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &app, &(pen_run_options){ .debug.strict = true }, &run), PEN_OK);
    CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
    CHECK_STATUS(pen_run_steps(run, 1), PEN_ERR_CHECK);
    CHECK(((const state *)pen_run_globals(run))->t == 5.0);
    pen_run_destroy(&run);
}

static void expect_wrong_update(const pen_graph *graph,
                                void (*wrong)(const pen_run *run, int phase, const void *params, void *record),
                                const char *why)
{
    pen_globals own = globals;
    pen_app app = good;
    pen_run *run = NULL;
    own.update = wrong;
    app.globals = &own;
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &app, &(pen_run_options){ .debug.strict = true }, &run),
                 PEN_ERR_CHECK);
    CHECK_CONTAINS(pen_error_message(), why);
    CHECK(!run);
}

static void test_wrong(const pen_graph *graph)
{
    pen_member member = shown[0];
    pen_observable observable = observables[0];
    const int size = check_size();
    expect_wrong_update(graph, keep_state, ".globals: t has another value when .update is called again");
    if (size > 1) expect_wrong_update(graph, ask_rank, ".update depends on the rank: unequal on the ranks");
#define EXPECT_WRONG(why, ...)                                                                   \
    do {                                                                                         \
        pen_globals g = globals;                                                                 \
        pen_app app = good;                                                                      \
        pen_run *run = NULL;                                                                     \
        app.globals = &g;                                                                        \
        __VA_ARGS__;                                                                             \
        CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &app, NULL, &run), PEN_ERR_ARGUMENT); \
        CHECK_CONTAINS(pen_error_message(), why);                                                \
    } while (0)
#define EXPECT_WRONG_MEMBER(why, change) \
    EXPECT_WRONG(why, member = shown[0], member.change, g.members.list = &member, g.members.count = 1)
    EXPECT_WRONG("globals need a size", g.size = 0);
    EXPECT_WRONG("-1 members of the globals", g.members.count = -1);
    EXPECT_WRONG("member t does not lie within the globals", g.size = 7);
    EXPECT_WRONG_MEMBER("member t does not lie within the globals", field = 1);
    EXPECT_WRONG_MEMBER("member t of the globals cannot be of PEN_U64", type = PEN_U64);
    EXPECT_WRONG_MEMBER("member t is of an unknown type", type = (pen_type)77);
    EXPECT_WRONG_MEMBER("member bins of the globals: an observable has that name", name = "bins");
    EXPECT_WRONG_MEMBER("not of letters", name = "a b");
    EXPECT_WRONG("the time, \"late\", must be a member of the globals with one component", g.time = "late");
    EXPECT_WRONG("the time, \"share\", must be a member of the globals with one component", g.time = "share");
    EXPECT_WRONG_MEMBER("the time, value, is also a member of records", name = g.time = "value");
    EXPECT_WRONG("observable \"bins\" has 1025 components, 1 to 1024 are possible", observable.components = 1025,
                 app.observables.list = &observable, app.observables.count = 1);
    EXPECT_WRONG("observable \"bins\" has -1 components", observable.components = -1,
                 app.observables.list = &observable, app.observables.count = 1);
}

CHECKS()
{
    RUN(test_cases());
    pen_graph *graph = graph_from("hex:4x3");
    RUN(test_put(graph));
    RUN(test_alone(graph));
    RUN(test_time(graph));
    RUN(test_again(graph));
    RUN(test_undone(graph));
    RUN(test_wrong(graph));
    pen_graph_destroy(&graph);
}
