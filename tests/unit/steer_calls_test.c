/* steer_calls_test.c - what steering calls back for, and in which order; its settings, and decisions on given facts.
 * pen_test() */
#include "tests/support/unit.h"

#include "steer/steer.h"
#include "tests/support/steer_settings.h"

#include <math.h>
#include <string.h>

typedef struct spy {
    char log[16];
    double max;                     /* of the plan; < 0: there is none */
    bool migrates, none;            /* none: there is no balancer */
    double planning, migrated, cpu; /* what the call takes, in seconds */
} spy;

static void write_down(spy *s, char what) { s->log[strlen(s->log)] = what; }

static pen_status spy_remember(void *context, bool first)
{
    write_down(context, first ? 'R' : 'r');
    return PEN_OK;
}

static pen_status spy_measure(void *context, bool changed, pen_quality *quality)
{
    write_down(context, changed ? 'Q' : 'q');
    quality->cut = changed ? 5 : quality->cut;
    return PEN_OK;
}

static pen_status spy_plan(void *context, pen_balance_call *call)
{
    spy *s = context;
    write_down(s, 'p');
    call->failed = s->max < 0.0;
    if (call->failed) return PEN_OK;
    call->evaluation = (pen_evaluation){
        .max = s->max, .moved = 2, .max_moved = 2, .exchanges = 3, .reductions = 4, .cpu_seconds = s->cpu
    };
    call->seconds = s->planning;
    return call->nodes == 10 ? PEN_OK : PEN_ERR_INTERNAL;
}

static pen_status spy_migrate(void *context, pen_balance_call *call, int64_t *version)
{
    spy *s = context;
    write_down(s, 'm');
    call->applied = s->migrates;
    call->failed = !s->migrates;
    call->moved_bytes = s->migrates ? 200 : 0;
    call->seconds = s->migrated;
    *version = 1;
    return PEN_OK;
}

static pen_status keep(pen_peers *peers, int sum_count, double *sums, int max_count, double *maxima) { return PEN_OK; }

/* Peers whose reduction has a given result. */
typedef struct given_peers {
    pen_peers peers; /* the first member */
    double sums[7], maxima[7];
    double own_sums[7], own_maxima[7]; /* of this rank */
} given_peers;

static pen_status give(pen_peers *peers, int sum_count, double *sums, int max_count, double *maxima)
{
    given_peers *given = (given_peers *)(void *)peers;
    assert_true(sum_count == 7 && max_count >= 7);
    memcpy(given->own_sums, sums, sizeof given->own_sums);
    memcpy(given->own_maxima, maxima, sizeof given->own_maxima);
    memcpy(sums, given->sums, sizeof given->sums);
    memcpy(maxima, given->maxima, sizeof given->maxima);
    return PEN_OK;
}

/* Steering that begins, on a partition whose cut is 3. */
static pen_steer begin(pen_steer_settings settings, const pen_machine *machine)
{
    pen_steer steer = { .settings = settings };
    pen_steer_start(&steer, machine, 50, &(pen_quality){ .cut = 3 }, 0.0);
    return steer;
}

/* What a step calls back for. */
static void take_step(pen_steer *steer, bool now, spy *s)
{
    pen_peers peers = { .size = steer->facts.ranks, .reduce = keep };
    const pen_steer_calls calls = { s, spy_remember, spy_measure, s->none ? NULL : spy_plan, spy_migrate };
    assert_int_equal(pen_steer_step(steer, &peers, now, &calls), PEN_OK);
}

/* Whether a step asks for a plan; there is none. */
static bool wants(pen_steer *steer)
{
    spy s = { .max = -1.0 };
    take_step(steer, false, &s);
    return strchr(s.log, 'p') != NULL;
}

/* Whether a plan with this maximum, for 2 nodes, is carried out. */
static bool accepts(pen_steer *steer, bool now, double max)
{
    spy s = { .max = max };
    take_step(steer, now, &s);
    return strchr(s.log, 'm') != NULL;
}

TEST(test_calls)
{
    static const struct {
        double max;
        bool migrates, stale;
        const char *log;
        int64_t cut;
        bool failed;
    } cases[] = {
        { 1.5, true, false, "qpmQ", 5, false }, { 1.5, false, false, "qpm", 3, true },
        { 2.5, true, false, "qp", 3, false },   { 2.5, true, true, "Qp", 5, false },
        { -1.0, true, false, "qp", 3, true },
    };
    const pen_steer_facts facts = { .step = 7,
                                    .remaining = 7,
                                    .ranks = 2,
                                    .load = { 1, 2.0, 1.0, 0.0 },
                                    .planned = { 1, 2.0, 1.0, 0.0 },
                                    .nodes = 10 };
    for (int wanted = 0; wanted <= 1; wanted++)
        for (int i = 0; i < PEN_COUNT_OF(cases); i++) {
            pen_steer steer = begin(measured("every:7:always", NULL), NULL);
            spy s = { .max = cases[i].max, .migrates = cases[i].migrates };
            steer.stale = cases[i].stale;
            steer.facts = facts;
            take_step(&steer, wanted == 1, &s);
            assert_string_equal(s.log, cases[i].log);
            assert_int_equal(steer.quality.cut, cases[i].cut);
            assert_int_equal(steer.call_count, 1);
            assert_int_equal(steer.calls[0].after.cut, cases[i].cut);
            assert_int_equal(steer.all.failed, cases[i].failed);
            pen_steer_free(&steer);
        }
    spy s = { .max = 1.5, .none = true };
    pen_steer steer = { .settings = measured("auto", NULL), .trigger.mode = PEN_TRIGGER_WAITS, .facts = facts };
    for (steer.trigger.waited = 1; steer.trigger.waited <= 2; steer.trigger.waited++) take_step(&steer, false, &s);
    assert_string_equal(s.log, "Rr");
    s.none = false;
    steer.facts.ranks = 1;
    take_step(&steer, true, &s);
    assert_string_equal(s.log, "Rr");
}

/* A call is skipped that costs more than it wins until the next one, or the end, unless that much has been lost. */
TEST(test_skipped)
{
    static const struct {
        int64_t due, remaining, steps;
        bool wants;
    } cases[] = { { 0, 9, 1, true }, { 4, 9, 1, false }, { 0, 3, 1, false }, { 4, 3, 6, true } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pen_steer steer = begin(declared("every:7", NULL), NULL);
        steer.due = cases[i].due;
        steer.facts = (pen_steer_facts){ .step = 7,
                                         .remaining = cases[i].remaining,
                                         .ranks = 2,
                                         .nodes = 10,
                                         .base = 5.0,
                                         .load = { cases[i].steps, 2.0, 1.0, 0.0 },
                                         .planned = { cases[i].steps, 2.0, 1.0, 0.0 },
                                         .total = 2.0,
                                         .speed = 1.0 };
        assert_int_equal(wants(&steer), cases[i].wants);
        assert_int_equal(steer.all.skipped, !cases[i].wants);
        assert_int_equal(steer.due, 7);
        pen_steer_free(&steer);
    }
}

/* With measured loads, a call that took long because the machine was busy is not what calls cost: neither the first
 * one, which did little, nor a later one, among others. */
TEST(test_slow_call)
{
    static const struct {
        double planning[3], migrated[3], cpu; /* of the calls, until the first one of 0 */
        double decided, migrating;
    } cases[] = {
        { { 0.02 }, { 0.03 }, 0.012, 0.02, 0.01 },
        { { 2.3 }, { 2.4 }, 0.012, 10.0 * 0.012 + 10.0 * 1e-6, 0.1 },
        { { 2.3 }, { 9.4 }, 0.012, 10.0 * 0.012 + 10.0 * 1e-6, 10.0 * 0.012 + 10.0 * 1e-6 + 2e-4 },
        { { 2.3, 0.02 }, { 2.4, 0.05 }, 0.012, 0.02, 0.03 },
        { { 0.02, 2.3 }, { 0.05, 9.4 }, 0.012, 0.02, 0.03 },
        { { 0.02, 2.3, 0.03 }, { 0.05, 9.4, 0.05 }, 0.012, 0.03, 0.03 },
        { { 0.05, 0.06, 0.08 }, { 0.06, 0.08, 0.11 }, 0.012, 0.06, 0.02 },
    };
    for (int i = 0; i < PEN_COUNT_OF(cases); i++) {
        pen_steer steer = begin(measured("every:7:always", NULL), NULL);
        steer.facts = (pen_steer_facts){
            .step = 7, .ranks = 2, .load = { 1, 2.0, 1.0, 0.0 }, .planned = { 1, 2.0, 1.0, 0.0 }, .nodes = 10
        };
        for (int k = 0; k < 3 && cases[i].planning[k] > 0.0; k++) {
            spy s = { .max = 1.5,
                      .migrates = true,
                      .planning = cases[i].planning[k],
                      .migrated = cases[i].migrated[k],
                      .cpu = cases[i].cpu };
            take_step(&steer, true, &s);
        }
        assert_true(fabs(pen_steer_usual(steer.decided, 0.0) - cases[i].decided) < 1e-12);
        assert_true(fabs(pen_steer_usual(steer.migrated, 0.0) - cases[i].migrating) < 1e-12);
        pen_steer_free(&steer);
    }
    /* What is lost in 30 steps of 0.05 s pays for such a call, and not for 2.3 s. */
    pen_steer steer = begin(measured("auto", NULL), NULL);
    steer.decided[0] = 0.12;
    int fired = 0;
    for (int64_t step = 1; step <= 30; step++) {
        steer.facts = (pen_steer_facts){ .step = step,
                                         .remaining = 30 - step,
                                         .ranks = 2,
                                         .load = { 1, 0.1, 0.05, 0.0 },
                                         .planned = { 1, 0.1, 0.05, 0.0 },
                                         .nodes = 10,
                                         .total = 0.1,
                                         .speed = 1.0 };
        fired += wants(&steer);
    }
    pen_steer_free(&steer);
    assert_true(fired > 0);
}

/* Ranks 0 and 1 are near to each other, as are 2 and 3; other links are 5 times as long. */
typedef struct network {
    pen_machine machine; /* the first member */
    double latency, cost;
} network;

static pen_link link_of(const pen_machine *machine, int32_t from, int32_t to)
{
    const network *n = (const network *)(const void *)machine;
    double times = from / 2 == to / 2 ? 1.0 : 5.0;
    return (pen_link){ times * n->latency, times * n->cost };
}

static void assert_near(double a, double b) { assert_true(a <= b * (1.0 + 1e-12) && b <= a * (1.0 + 1e-12)); }

/* The cost of calls before one was made, and after one of 7 exchanges and reductions that moved 2 nodes of 100 bytes,
 * or that failed. The slowest links of ranks that are 1 and 2 apart take 5 latencies each; two of five links are short.
 * Ranks have mean loads of 20 and 10, nodes of 4. */
TEST(test_costs)
{
    static const struct {
        double latency, cost, max; /* max < 0: the call fails */
        const char *given;
        double base, per_node, base_then, per_node_then, of_call;
        bool wants;
    } cases[] = {
        { 0.0, 5.0, 12.0, NULL, 0.5, 2.0, 0.5, 2.0, 0.5 + 2 * 2.0, true },
        { 0.01, 0.1, 12.0, NULL, 1.6, 0.34, 0.7, 0.68, 0.7 + 2 * 0.68, true },
        { 0.01, 0.1, -1.0, NULL, 1.6, 0.34, 1.6, 0.34, 0.0, true },
        { 0.01, 0.1, 12.0, "1", 1.0, 0.34, 1.0, 0.68, 1.0 + 2 * 0.68, true },
        { 1e9, 1e9, 12.0, "1:0.5", 1.0, 0.5, 1.0, 0.5, 1.0 + 2 * 0.5, true },
        { 1e9, 0.0, -1.0, NULL, 1.6e11, 0.0, 1.6e11, 0.0, 0.0, false },
        { 0.01, 1e9, -1.0, NULL, 1.6, 3.4e9, 1.6, 3.4e9, 0.0, false },
    };
    for (int i = 0; i < PEN_COUNT_OF(cases); i++) {
        const network n = { { .processors = 4, .link = link_of }, cases[i].latency, cases[i].cost };
        given_peers all = { .peers = { .size = 4, .reduce = give },
                            .sums = { 40.0, 0.0, 0.0, 4.0 },
                            .maxima = { 20.0, 4.0, 0.0, 1.0, -5.0, 1.0 } };
        pen_steer_local mine = { .step = 1, .remaining = 100, .speed = 1.0, .nodes = 10 };
        pen_steer steer = begin(declared(NULL, cases[i].given), &n.machine);
        spy s = { .max = cases[i].max, .migrates = true };
        assert_int_equal(pen_steer_look(&steer, &all.peers, &mine), PEN_OK);
        assert_near(steer.facts.base, cases[i].base);
        assert_near(steer.facts.per_node, cases[i].per_node);
        pen_steer before = steer;
        assert_int_equal(wants(&before), cases[i].wants);
        pen_steer_free(&before);
        take_step(&steer, true, &s);
        assert_near(steer.makespan, 20.0 + cases[i].of_call);
        mine.step = 2;
        assert_int_equal(pen_steer_look(&steer, &all.peers, &mine), PEN_OK);
        assert_near(steer.facts.base, cases[i].base_then);
        assert_near(steer.facts.per_node, cases[i].per_node_then);
        pen_steer_free(&steer);
    }
}

/* The trigger's memory of other loads has no effect on calls every so many steps. */
TEST(test_every_alone)
{
    for (int every = 0; every <= 1; every++) {
        pen_steer steer = begin(declared(every ? "every:7:always" : "auto", NULL), NULL);
        steer.facts = (pen_steer_facts){ .step = 7,
                                         .remaining = 7,
                                         .ranks = 2,
                                         .load = { 1, 2.0, 1.0, 0.5 },
                                         .planned = { 1, 2.0, 1.0, 0.5 },
                                         .total = 2.0,
                                         .nodes = 10,
                                         .speed = 1.0 };
        steer.trigger = (pen_trigger){ .mode = PEN_TRIGGER_WAITS, .waited = 1, .waited_max = 0.5, .waited_lost = 4.0 };
        assert_int_equal(accepts(&steer, false, 1.5), every);
        assert_true(steer.trigger.mode == PEN_TRIGGER_RESTS && !steer.trigger.mixes);
        assert_near(steer.calls[0].before.imbalance, every ? 2.0 : 1.25);
        pen_steer_free(&steer);
    }
}

/* Two ranks, on which average loads predict better, and later worse, than those of the last step. */
TEST(test_averages)
{
    pen_steer steer = begin(declared("auto", "1:0.1"), NULL);
    steer.forecast.keeps = true;
    pen_steer_local mine = { .step = 1, .remaining = 100, .speed = 1.0, .nodes = 10 };
    given_peers first = { .peers = { .size = 2, .reduce = give },
                          .sums = { 40.0, 0.0, 0.0, 2.0, 40.0, 1.0, 40.0 },
                          .maxima = { 30.0, 4.0, 0.0, 1.0, -10.0, 1.0, 30.0 } };
    assert_int_equal(pen_steer_look(&steer, &first.peers, &mine), PEN_OK);
    assert_false(steer.facts.by_average); /* nothing is known yet */

    given_peers noise = { .peers = { .size = 2, .reduce = give },
                          .sums = { 40.0, 20.0, 2.0, 2.0, 20.0, 8.0, 44.0 },
                          .maxima = { 30.0, 4.0, 0.0, 1.0, -10.0, 1.0, 25.0 } };
    mine.step = 2;
    pen_steer other = steer;
    mine.phases = 2;
    mine.phase_loads = noise.maxima;
    assert_int_equal(pen_steer_look(&other, &noise.peers, &mine), PEN_OK);
    assert_false(other.facts.by_average);
    mine.phases = 1;
    other = steer;
    other.trigger.mode = PEN_TRIGGER_WAITS;
    assert_int_equal(pen_steer_look(&other, &noise.peers, &mine), PEN_OK);
    assert_false(other.facts.by_average);
    other = steer;
    other.forecast.keeps = false;
    assert_int_equal(pen_steer_look(&other, &noise.peers, &mine), PEN_OK);
    assert_false(other.facts.by_average);
    assert_int_equal(pen_steer_look(&steer, &noise.peers, &mine), PEN_OK);
    const pen_steer_facts *facts = &steer.facts;
    assert_true(facts->by_average);
    assert_true(facts->load.max == 30.0 && facts->load.mean == 20.0 && facts->load.shift == 0.5); /* of the step */
    assert_true(facts->planned.max == 25.0 && facts->planned.mean == 22.0);
    assert_true(steer.makespan == 60.0);

    /* The shift does not shorten the horizon, and plans are judged by the averages. */
    pen_steer tried = steer;
    assert_true(wants(&tried));
    assert_true(tried.facts.horizon == 100.0);
    assert_false(accepts(&tried, true, 25.5));
    pen_steer_free(&tried);
    spy s = { .max = 22.5, .migrates = true };
    take_step(&steer, true, &s);
    assert_near(steer.calls[0].before.imbalance, 25.0 / 22.0);
    assert_near(steer.calls[0].after.imbalance, 22.5 / 22.0);

    /* The plan does not say what the next step's load should be. */
    mine.version = steer.version < 0 ? 0 : steer.version;
    mine.load = 10.0;
    mine.past = (pen_past_sums){ 13.0, 12.0, 11.0 };
    given_peers drift = { .peers = { .size = 2, .reduce = give },
                          .sums = { 40.0, 1.0, 2.0, 2.0, 1.0, 90.0, 44.0 },
                          .maxima = { 30.0, 4.0, 0.0, 1.0, -10.0, 1.0, 25.0 } };
    mine.step = 3;
    assert_int_equal(pen_steer_look(&steer, &drift.peers, &mine), PEN_OK);
    assert_true(drift.own_sums[2] == 0.0);
    assert_true(drift.own_sums[4] == 2.0 && drift.own_sums[5] == 3.0 && drift.own_sums[6] == 11.0);
    assert_true(drift.own_maxima[6] == 11.0);
    assert_false(facts->by_average);
    pen_steer_free(&steer);
}

static void refuse(pen_load_kind load, const char *when, const char *cost, const char *message)
{
    pen_steer_settings settings = { .load = load };
    assert_int_equal(pen_steer_settings_read(when, cost, &settings), PEN_ERR_INPUT);
    if (!strstr(pen_error_message(), message)) fail_msg("\"%s\", not \"%s\"", pen_error_message(), message);
}

TEST(test_settings)
{
    pen_steer_settings s = measured(NULL, NULL);
    assert_true(s.load == PEN_LOAD_MEASURED && s.when == PEN_STEER_AUTO && s.call_cost == 0.0 && s.node_cost == 0.0);
    s = declared("every:12", "2.5");
    assert_true(s.load == PEN_LOAD_DECLARED && s.when == PEN_STEER_EVERY && s.every == 12 && s.call_cost == 2.5 &&
                s.node_cost == 0.0);
    s = declared("auto", "0:1e-3");
    assert_true(s.when == PEN_STEER_AUTO && s.call_cost == PEN_NO_COST && s.node_cost == 1e-3);
    s = measured("change", NULL);
    assert_true(s.when == PEN_STEER_CHANGE && !s.always && measured("every:2:always", NULL).always);
    const char *const when[] = { "",          "every",   "every:",      "every:0",  "every:-1",
                                 "every:2:3", "often:2", "auto:always", "change:2", "changed" };
    for (size_t i = 0; i < sizeof when / sizeof *when; i++)
        refuse(PEN_LOAD_MEASURED, when[i], NULL, "must be auto, change or every:N");
    const char *const cost[] = { "", ":", "1:", ":1", "-1", "1:-1", "1:2:3", "x", "nan" };
    for (size_t i = 0; i < sizeof cost / sizeof *cost; i++)
        refuse(PEN_LOAD_DECLARED, NULL, cost[i], "must be BASE or BASE:PER");
    refuse(PEN_LOAD_MEASURED, NULL, "1",
           "--balance-cost needs --load=declared"); /* no run has told the members of options */
}
