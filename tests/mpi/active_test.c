/* active_test - runs that leave out nodes whose result cannot change have the results of a serial loop, and of runs
 * that compute all nodes: drawn programs that stall, wake and oscillate, with several fields and phases, two writers of
 * a field, fields that are kept, directed graphs, random numbers, records that are put; in each transport, with
 * migrations, in the strict mode. Runs end when they are quiet.
 * pen_mpi_test(RANKS 1 2 3 5) */
#include "active/active.h"
#include "balancing/loads.h"
#include "base/memory.h"
#include "observables/until.h"
#include "tests/support/check.h"
#include "tests/support/world.h"

#include <penumbra_checkpoint.h>

enum { FIELDS = 3, PHASES = 3, NODES = 70 };

/* What a phase does with each byte of a node; the gids tell who does what. */
typedef enum action { LEAST, LIFE, COUNT_DOWN, ACTIONS } action;

typedef struct program {
    int phases;
    action actions[PHASES];
    pen_phase table[PHASES];
    pen_field fields[FIELDS];
    bool blinks, draws; /* some nodes oscillate; some draw random numbers */
    bool calm;          /* at first few nodes differ, so that waves begin there */
    uint8_t background; /* what the others have */
    graph_case graph;
} program;

static const char *const transports[] = { "fence",   "pscw",       "passive",  "shared",
                                          "overlap", "persistent", "blocking", "neighbor" };

/* ---- Computation ---------------------------------------------------------------------------- */

static uint8_t at(const void *record, size_t size, size_t b) { return ((const uint8_t *)record)[b % size]; }

static uint8_t decide(const pen_view *v, const program *p, int k, size_t b, uint8_t own)
{
    const pen_phase *phase = &p->table[k];
    int odd = 0, least = own;
    bool wakes = false;
    for (int f = 0; f < FIELDS; f++)
        for (int32_t i = 0; phase->reads.bits >> f & 1 && i < pen_degree(v); i++) {
            const uint8_t theirs = at(pen_neighbor_record(v, f, i), v->sizes[f], b);
            odd += theirs & 1;
            least = theirs < least ? theirs : least;
            wakes = wakes || theirs == 7;
        }
    if (p->blinks && pen_id(v) % 19 == 3) return own ^ 1;
    if (p->blinks && pen_id(v) % 19 == 4) return (uint8_t)((own + 1) % 3);
    if (p->draws && own == 5 && pen_id(v) % 4 == 1) return (uint8_t)(4 + pen_random_below(v, b, 3));
    switch (p->actions[k]) {
    case LEAST: return (uint8_t)least;
    case LIFE: return (uint8_t)((own & 6) | (odd == 3 || (odd == 2 && own & 1)));
    default: return own > 0 ? (uint8_t)(own - 1) : (uint8_t)(wakes && pen_id(v) % 3 ? 7 : 0);
    }
}

static void compute(const pen_view *v, int k)
{
    const program *p = pen_params(v);
    const pen_phase *phase = &p->table[k];
    for (int f = 0; f < FIELDS; f++) {
        const bool keeps = phase->updates.bits >> f & 1;
        if (!(phase->writes.bits >> f & 1)) continue;
        uint8_t *next = pen_next_record(v, f);
        const uint8_t *own = keeps ? next : pen_self_record(v, f);
        for (size_t b = 0; b < v->sizes[f]; b++)
            if (!keeps || b % 3 != 1) next[b] = decide(v, p, k, b, own[b]);
    }
}
static void first(const pen_view *v) { compute(v, 0); }
static void second(const pen_view *v) { compute(v, 1); }
static void third(const pen_view *v) { compute(v, 2); }
PEN_SWEEP(third)

static void init(const pen_view *v)
{
    const program *p = pen_params(v);
    uint64_t state = (uint64_t)pen_id(v) * 977 + 5;
    const bool other = p->calm && pen_id(v) % 31 != 5;
    for (int f = 0; f < FIELDS; f++)
        for (size_t b = 0; b < v->sizes[f]; b++)
            ((uint8_t *)pen_next_record(v, f))[b] = other ? p->background : (uint8_t)(case_random(&state) % 8);
}

enum { BYTES, ODD, SMALLEST, LARGEST };
static void observe(const pen_view *v, pen_observation *o)
{
    const uint8_t *own = pen_self_record(v, 0);
    for (size_t b = 0; b < v->sizes[0]; b++) pen_observe_int(o, BYTES, own[b]);
    if (own[0] & 1) pen_observe_real(o, ODD, 0.1 * own[0] * (double)pen_id(v));
    if (pen_id(v) % 3) pen_observe_int(o, SMALLEST, own[0]);
    pen_observe_real(o, LARGEST, own[0] == 6 ? -0.0 : own[0] / 3.0);
}
PEN_OBSERVE_SWEEP(observe)

static void print(const pen_view *v, FILE *out)
{
    for (int f = 0; f < FIELDS; f++)
        for (size_t b = 0; b < v->sizes[f]; b++) fprintf(out, "%d", ((const uint8_t *)pen_self_record(v, f))[b]);
}

/* ---- Drawn programs --------------------------------------------------------------------------- */

static uint64_t subset(uint64_t *state) { return case_random(state) % (1 << FIELDS); }

static program draw(uint64_t seed)
{
    static const size_t sizes[] = { 1, 3, 4, 8, 24, 70 };
    static pen_node_fn *const functions[PHASES] = { first, second, NULL };
    static const char *const names[] = { "a", "b", "c" };
    uint64_t state = seed * 7919 + 1;
    program p = { .phases = 1 + (int)(case_random(&state) % PHASES) };
    p.blinks = case_random(&state) % 2;
    p.draws = case_random(&state) % 3 == 0;
    p.calm = case_random(&state) % 3 > 0;
    p.background = case_random(&state) % 2 ? 6 : 0;
    for (int f = 0; f < FIELDS; f++)
        p.fields[f] = (pen_field){ .name = names[f], .size = sizes[case_random(&state) % 6], .plain = true };
    for (int k = 0; k < p.phases; k++) {
        pen_phase *phase = &p.table[k];
        *phase = (pen_phase){ .name = names[k], .node = functions[k], .sweep = functions[k] ? NULL : third_sweep };
        phase->reads.bits = subset(&state);
        phase->writes.bits = 1 << case_random(&state) % FIELDS;
        phase->writes.bits |= subset(&state);
        phase->updates.bits = case_random(&state) % 2 ? subset(&state) & phase->writes.bits : 0;
        p.actions[k] = p.calm && p.background ? LEAST : (action)(case_random(&state) % ACTIONS);
    }
    p.graph = case_new("drawn", NODES);
    p.graph.directed = case_random(&state) % 3 == 0;
    const int arcs = 40 + (int)(case_random(&state) % 120); /* some nodes stay isolated; node 7 is a hub */
    for (int i = 0; i < arcs; i++) {
        const int from = (int)(case_random(&state) % NODES), to = i % 32 ? (from + 1 + i % 3) % NODES : 7;
        if (p.graph.directed) case_arc(&p.graph, from, to);
        else case_edge(&p.graph, from, to);
    }
    return p;
}

/* ---- Runs ------------------------------------------------------------------------------------- */

static const pen_observable observables[] = { { "bytes", PEN_SUM_INT, 1 },
                                              { "odd", PEN_SUM_REAL, 1 },
                                              { "smallest", PEN_MIN_INT, 1 },
                                              { "largest", PEN_MAX_REAL, 1 } };

static pen_run *begin(program *p, const pen_run_options *options)
{
    pen_app app = { .name = "drawn",
                    .fields = { p->fields, FIELDS },
                    .phases = { p->table, p->phases },
                    PEN_OBSERVABLES(observables, observe_sweep),
                    .init = init,
                    .output.print = print,
                    .params = p };
    pen_run *run = run_on(graph_of(&p->graph, 3), &app, options);
    return run;
}

static void verify(pen_run *run, uint64_t seed, const char *what)
{
    check_with("seed %" PRIu64 ", %s, step %" PRId64, seed, what, pen_run_step(run));
    expect_verified(run);
}

static double skipped;

static void note_skipped(const pen_run *run)
{
    const pen_active_sets *a = pen_part_state(run, &pen_part_active);
    if (a) skipped += a->could_run - a->ran;
}

static void test_program(uint64_t seed)
{
    program p = draw(seed);
    pen_run_options options = { .transport = transports[seed % PEN_COUNT_OF(transports)], .seed = seed };
    check_with("seed %" PRIu64 ", %s", seed, options.transport);
    pen_test_options moves = { .migrate_part = 0.001 };
    if (seed % 5 == 4) options.debug.tests = &moves;
    if (seed % 16 == 7) options.debug.strict = true;
    pen_run *run = begin(&p, &options);
    for (int64_t steps = 9; steps <= 36; steps *= 2) {
        CHECK_STATUS(pen_run_steps(run, steps), PEN_OK);
        verify(run, seed, options.transport);
    }
    note_skipped(run);
    pen_run_destroy(&run);
    case_free(&p.graph);
}

/* Records that are put wake nodes: the checksum is that of a run that computes all nodes. */
static void test_put(uint64_t seed)
{
    uint64_t sums[2];
    for (int off = 0; off < 2; off++) {
        program p = draw(seed);
        pen_run_options options = { .transport = transports[seed % PEN_COUNT_OF(transports)], .seed = seed };
        options.active = off ? PEN_ACTIVE_OFF : PEN_ACTIVE_AUTO;
        pen_run *run = begin(&p, &options);
        for (int times = 0; times < 4; times++) {
            uint8_t record[70];
            const pen_gid gid = times * 7;
            memset(record, 7 - times, sizeof record);
            CHECK_STATUS(pen_run_steps(run, 11), PEN_OK);
            CHECK_STATUS(pen_run_put(run, times % FIELDS, check_rank() == 0, &gid, record), PEN_OK);
        }
        CHECK_STATUS(pen_run_steps(run, 5), PEN_OK);
        CHECK_STATUS(pen_run_checksum(run, &sums[off]), PEN_OK);
        pen_run_destroy(&run);
        case_free(&p.graph);
    }
    CHECK_INT(sums[0], sums[1]);
}

/* The end of a run does not depend on what steps leave out; without oscillations and random numbers all runs end. A
 * rank without the memory to see it fails on all of them, and goes on when it has it. */
static void test_quiet(uint64_t seed)
{
    int64_t ends[2];
    for (int off = 0; off < 2; off++) {
        program p = draw(seed);
        p.blinks = p.draws = false;
        for (int k = 0; k < p.phases; k++) p.actions[k] = LEAST;
        pen_run_options options = { .until = "quiet", .transport = transports[seed % PEN_COUNT_OF(transports)] };
        options.active = off ? PEN_ACTIVE_OFF : PEN_ACTIVE_AUTO;
        pen_run *run = begin(&p, &options);
        CHECK_STATUS(pen_run_steps(run, PEN_QUIET_STEPS - 1), PEN_OK);
        if (off && check_rank() == 0) pen_alloc_countdown = 1;
        CHECK_STATUS(pen_run_steps(run, 400), off ? PEN_ERR_MEMORY : PEN_OK);
        pen_alloc_countdown = 0;
        if (off) CHECK_CONTAINS(pen_error_message(), "out of memory to see whether the run is quiet");
        CHECK_STATUS(pen_run_steps(run, 400), PEN_OK);
        CHECK(pen_run_done(run));
        ends[off] = pen_run_step(run);
        CHECK_INT(ends[off] % PEN_QUIET_STEPS, 0);
        verify(run, seed, "quiet");
        if (!off) note_skipped(run);
        pen_run_destroy(&run);
        case_free(&p.graph);
    }
    CHECK_INT(ends[0], ends[1]);
}

/* Every 60 nodes of a path, a clock counts from 0 to 5 again and again, and another one down to 0, where it stays. The
 * nodes between them change when the first is at 1 and the second has stopped: after a shadow has changed back to what
 * it was when the rank began to track. */
enum { CLOCKS = 60, WAIT = 15 };

static int place_of(const pen_view *v) { return (int)((pen_id(v) + *(const int *)pen_params(v)) % CLOCKS); }

static void start_clock(const pen_view *v) { *PEN_NEXT(v, 0, int64_t) = place_of(v) == 4 ? WAIT : 0; }

static void tick(const pen_view *v)
{
    const int place = place_of(v);
    const int64_t own = *PEN_SELF(v, 0, int64_t);
    int64_t next = own;
    if (place == 0) next = (own + 1) % 6;
    if (place == 4 && own > 0) next = own - 1;
    if (place > 0 && place < 4 && pen_degree(v) == 6) /* neighbours are at most 3 places away */
        next = own || (*PEN_NEIGHBOR(v, 0, int64_t, 3 - place) == 1 && *PEN_NEIGHBOR(v, 0, int64_t, 6 - place) == 0);
    *PEN_NEXT(v, 0, int64_t) = next;
}

static void print_clock(const pen_view *v, FILE *out) { fprintf(out, "%" PRId64, *PEN_SELF(v, 0, int64_t)); }

static void test_return(void)
{
    static const pen_field fields[] = { { "clock", sizeof(int64_t), .plain = true } };
    static const pen_phase phases[] = { { "tick", .node = tick, .reads = PEN_SET(0), .writes = PEN_SET(0) } };
    graph_case g = case_new("path", 6 * CLOCKS);
    for (int i = 0; i < 3 * g.nodes; i++)
        if (i / 3 + i % 3 + 1 < g.nodes) case_edge(&g, i / 3, i / 3 + i % 3 + 1);
    for (int shift = 0; shift < CLOCKS; shift += 3) { /* borders between ranks are at different places */
        const pen_app app = { .name = "clocks",
                              PEN_FIELDS(fields),
                              PEN_PHASES(phases),
                              .init = start_clock,
                              .output.print = print_clock,
                              .params = &shift };
        pen_run *run = run_on(graph_of(&g, 3), &app, NULL);
        CHECK_STATUS(pen_run_steps(run, 2 * WAIT), PEN_OK);
        verify(run, (uint64_t)shift, "clocks");
        pen_run_destroy(&run);
    }
    case_free(&g);
}

/* A flame spreads over a mesh, and smoke behind it. Observables look at neighbours, which change while a node sleeps.
 */
static void ignite(const pen_view *v)
{
    *PEN_NEXT(v, 0, int64_t) = pen_id(v) == 0;
    *PEN_NEXT(v, 1, int64_t) = 0;
}

static void burn(const pen_view *v)
{
    int64_t burns = *PEN_SELF(v, 0, int64_t);
    for (int32_t i = 0; i < pen_degree(v); i++) burns |= *PEN_NEIGHBOR(v, 0, int64_t, i);
    *PEN_NEXT(v, 0, int64_t) = burns;
}

static void smoke(const pen_view *v)
{
    int64_t smoke = *PEN_SELF(v, 1, int64_t);
    for (int32_t i = 0; i < pen_degree(v) && smoke < 6; i++)
        smoke += *PEN_NEIGHBOR(v, 0, int64_t, i) + (*PEN_NEIGHBOR(v, 1, int64_t, i) > 2);
    *PEN_NEXT(v, 1, int64_t) = smoke;
}

enum { BORDER, THICK };
static void observe_around(const pen_view *v, pen_observation *o)
{
    for (int32_t i = 0; i < pen_degree(v); i++) {
        if (*PEN_SELF(v, 0, int64_t) < *PEN_NEIGHBOR(v, 0, int64_t, i)) pen_observe_int(o, BORDER, 1);
        pen_observe_real(o, THICK, 0.1 * (double)(pen_id(v) + 1) * (double)*PEN_NEIGHBOR(v, 1, int64_t, i));
    }
}
PEN_OBSERVE_SWEEP(observe_around)

static void test_around(void)
{
    static const pen_field fields[] = { { "fire", sizeof(int64_t), .plain = true },
                                        { "smoke", sizeof(int64_t), .plain = true } };
    static const pen_phase phases[] = {
        { "burn", .node = burn, .reads = PEN_SET(0), .writes = PEN_SET(0) },
        { "smoke", .node = smoke, .reads = PEN_SET(0, 1), .writes = PEN_SET(1) },
    };
    static const pen_observable watched[] = { { "border", PEN_SUM_INT, 1 }, { "thick", PEN_SUM_REAL, 1 } };
    static const pen_app app = { .name = "around",
                                 PEN_FIELDS(fields),
                                 PEN_PHASES(phases),
                                 PEN_OBSERVABLES(watched, observe_around_sweep),
                                 .init = ignite,
                                 .output.print = print_clock };
    pen_graph *graph = graph_from("mesh:100x4");
    for (int t = 0; t < PEN_COUNT_OF(transports); t++) {
        pen_run *run = run_with(graph, &app, &(pen_run_options){ .transport = transports[t] });
        for (int times = 0; times < 5; times++) {
            CHECK_STATUS(pen_run_steps(run, 7), PEN_OK);
            verify(run, 0, transports[t]);
        }
        note_skipped(run);
        pen_run_destroy(&run);
    }
    pen_graph_destroy(&graph);
}

/* The strict mode names a node that sleeps although it reads the step. */
static void sneak(const pen_view *v)
{
    const int64_t own = *PEN_SELF(v, 0, int64_t);
    *PEN_NEXT(v, 0, int64_t) = pen_id(v) == 11 && v->step > 30 ? 1 : own;
}

static void test_sleeper(void)
{
    static const pen_field fields[] = { { "clock", sizeof(int64_t), .plain = true } };
    for (int always = 0; always < 2; always++) {
        const pen_phase phases[] = { { "sneak", .node = sneak, .writes = PEN_SET(0), .always = always },
                                     { "tick", .node = tick, .reads = PEN_SET(0), .writes = PEN_SET(0) } };
        const pen_app app = { .name = "sneak",
                              PEN_FIELDS(fields),
                              PEN_PHASES(phases),
                              .init = start_clock,
                              .output.print = print_clock,
                              .params = &(int){ 0 } };
        const pen_run_options options = { .debug.strict = true };
        pen_graph *graph = graph_from("hex:8x8");
        pen_run *run = run_with(graph, &app, &options);
        CHECK_STATUS(pen_run_steps(run, 20), always ? PEN_OK : PEN_ERR_CHECK);
        if (!always) CHECK_CONTAINS(pen_error_message(), "node 11: no record has changed that it reads");
        pen_run_destroy(&run);
        run = run_with(graph, &app, NULL);
        CHECK_STATUS(pen_run_steps(run, 40), PEN_OK);
        if (always) verify(run, 0, "always");
        pen_run_destroy(&run);
        pen_graph_destroy(&graph);
    }
}

/* A node that asks for the step keeps the run from its end, although no record changes. A resumed run has that end. */
static void init_zero(const pen_view *v) { *PEN_NEXT(v, 0, int64_t) = 0; }
static void wait_for_step(const pen_view *v)
{
    const int64_t own = *PEN_SELF(v, 0, int64_t);
    *PEN_NEXT(v, 0, int64_t) = pen_id(v) == 11 && own == 0 ? pen_step(v) > 30 : own;
}

/* A function .far asks for the step. */
static void ask_late(const pen_view *v, pen_requests *requests)
{
    if (pen_id(v) == 11 && *PEN_SELF(v, 0, int64_t) == 0 && pen_step(v) > 30) pen_request(requests, 0);
}
static void wait_for_record(const pen_view *v)
{
    *PEN_NEXT(v, 0, int64_t) = *PEN_SELF(v, 0, int64_t) + pen_far_count(v);
}

static double one(const pen_view *v) { return 1.0; }
PEN_COST_SWEEP(one)

static void test_restless(bool far, bool strict)
{
    static const pen_field fields[] = { { "clock", sizeof(int64_t), .plain = true } };
    static const pen_phase phases[] = {
        { "wait", .node = wait_for_step, .writes = PEN_SET(0), .cost = one_sweep },
        { "wait", .node = wait_for_record, .writes = PEN_SET(0), .far = ask_late, .far_reads = PEN_SET(0),
          .cost = one_sweep },
    };
    const pen_app app = { .name = "restless",
                          PEN_FIELDS(fields),
                          .phases = { &phases[far], 1 },
                          .init = init_zero,
                          .output.print = print_clock,
                          .end.quiet = true };
    char folder[64];
    const pen_run_options options = { .balance = { "diffusive", "every:1000", .load = PEN_LOAD_DECLARED },
                                      .debug.strict = strict };
    pen_run *run = run_on(graph_from("hex:8x8"), &app, &options);
    CHECK_STATUS(pen_run_steps(run, PEN_UNLIMITED), PEN_OK);
    CHECK_INT(pen_run_step(run), 48);
    CHECK(far || pen_loads_of(run)->total == 0.0); /* all sleep */
    verify(run, 0, "restless");
    make_folder("active_test", folder);
    CHECK_STATUS(pen_run_save(run, folder), PEN_OK);
    pen_run_destroy(&run);
    CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, folder, &app, NULL, &run), PEN_OK);
    CHECK(pen_run_done(run));
    verify(run, 0, "resumed");
    pen_run_destroy(&run);
    remove_folder(folder);
}

static void test_refused(void)
{
    program p = draw(1);
    pen_run_options options = { .until = "quiet" };
    pen_run *run = NULL;
    pen_graph *graph = graph_of(&p.graph, 3);
    pen_app app = { .name = "refused",
                    .fields = { p.fields, FIELDS },
                    .phases = { p.table, p.phases },
                    .init = init,
                    .output.print = print,
                    .params = &p };
    p.table[0].always = true;
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &app, &options, &run), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "phase a has .always");
    p.table[0].always = false;
    for (int f = 0; f < FIELDS; f++) p.fields[f].plain = false;
    app.end.quiet = true;
    CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &app, NULL, &run), PEN_ERR_ARGUMENT);
    CHECK_CONTAINS(pen_error_message(), "phase a writes a field that is not plain");
    pen_graph_destroy(&graph);
    case_free(&p.graph);
}

/* Nodes take their sets along only if something can move them, and if every written field is pulled. */
static void test_carries(const char *balancer, bool carries)
{
    program p = draw(1);
    for (int k = 0; k < p.phases; k++) p.table[k].reads.bits = (1 << FIELDS) - 1;
    pen_run *run = begin(&p, &(pen_run_options){ .balance.balancer = balancer });
    CHECK_INT(((const pen_active_sets *)pen_part_state(run, &pen_part_active))->carries, carries);
    pen_run_destroy(&run);
    case_free(&p.graph);
}

CHECKS()
{
    const uint64_t first_seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    const uint64_t seeds = argc > 2 ? strtoull(argv[2], NULL, 10) : argc > 1 ? 1 : 48;
    for (uint64_t seed = first_seed; seed < first_seed + seeds; seed++) {
        RUN(test_program(seed));
        if (seed % 4 == 0) RUN(test_put(seed));
        if (seed % 4 == 1) RUN(test_quiet(seed));
    }
    if (argc == 1) {
        RUN(test_return());
        RUN(test_around());
        RUN(test_sleeper());
        for (int how = 0; how < 4; how++) RUN(test_restless(how % 2, how >= 2));
        RUN(test_refused());
        RUN(test_carries("none", false));
        RUN(test_carries("diffusive", true));
        CHECK(!check_all_cases() || skipped > 0.0);
    }
}
