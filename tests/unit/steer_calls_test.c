/* steer_calls_test.c - what steering calls back for, and in which order. */
#include "steer/steer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

typedef struct spy {
    char log[16];
    double max; /* of the plan; < 0: there is none */
    bool migrates;
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

static pen_status spy_agree(void *context, pen_status mine)
{
    write_down(context, 'a');
    return mine;
}

static pen_status spy_plan(void *context, const pen_steer_facts *facts, pen_steer_result *result)
{
    spy *s = context;
    write_down(s, 'p');
    result->planned = s->max >= 0.0;
    result->failed = !result->planned;
    result->evaluation = (pen_evaluation){ .max = s->max, .moved = 1 };
    return facts->nodes == 10 ? PEN_OK : PEN_ERR_INTERNAL;
}

static pen_status spy_migrate(void *context, pen_steer_result *result)
{
    spy *s = context;
    write_down(s, 'm');
    result->applied = s->migrates;
    result->failed = !s->migrates;
    return PEN_OK;
}

static void spy_note(void *context, const pen_steer_result *result)
{
    write_down(context, result->applied ? 'N' : 'n');
}

static pen_status keep(pen_peers *peers, int sum_count, double *sums, int max_count, double *maxima)
{
    (void)peers, (void)sum_count, (void)sums, (void)max_count, (void)maxima;
    return PEN_OK;
}

static pen_steer_settings settings_of(const char *when)
{
    pen_steer_settings settings;
    if (pen_steer_settings_read("measured", when, NULL, &settings) != PEN_OK) fail_msg("%s", pen_error_message());
    return settings;
}

static void test_calls(void **state)
{
    (void)state;
    static const struct {
        double max;
        bool migrates, stale;
        const char *log;
        int64_t cut;
        bool failed;
    } cases[] = {
        { 1.5, true, false, "qapmNQ", 5, false }, { 1.5, false, false, "qapmn", 3, true },
        { 2.5, true, false, "qapn", 3, false },   { 2.5, true, true, "Qapn", 5, false },
        { -1.0, true, false, "qapn", 3, true },
    };
    pen_peers peers = { .size = 2, .reduce = keep };
    pen_steer_facts facts = { .step = 7, .remaining = 7, .ranks = 2, .load = { 1, 2.0, 1.0, 0.0 }, .nodes = 10 };
    for (int wanted = 0; wanted <= 1; wanted++)
        for (int i = 0; i < PEN_COUNT_OF(cases); i++) {
            pen_steer steer = { .settings = settings_of("every:7:always"), .quality.cut = 3, .stale = cases[i].stale };
            spy s = { .max = cases[i].max, .migrates = cases[i].migrates };
            const pen_steer_calls calls = { &s, spy_remember, spy_measure, spy_agree, spy_plan, spy_migrate, spy_note };
            assert_int_equal(wanted ? pen_steer_call(&steer, &peers, &facts, &calls)
                                    : pen_steer_step(&steer, &peers, &facts, true, &calls),
                             PEN_OK);
            assert_string_equal(s.log, cases[i].log);
            assert_int_equal(steer.quality.cut, cases[i].cut);
            assert_int_equal(steer.call_count, 1);
            assert_int_equal(steer.calls[0].cut_after, cases[i].cut);
            assert_int_equal(steer.failures, cases[i].failed);
            pen_steer_free(&steer);
        }
    spy s = { .max = 1.5 };
    const pen_steer_calls calls = { &s, spy_remember, spy_measure, spy_agree, spy_plan, spy_migrate, spy_note };
    pen_steer steer = { .settings = settings_of("auto"), .trigger.mode = PEN_TRIGGER_WAITS };
    for (steer.trigger.waited = 1; steer.trigger.waited <= 2; steer.trigger.waited++)
        assert_int_equal(pen_steer_step(&steer, &peers, &facts, false, &calls), PEN_OK);
    assert_string_equal(s.log, "Rr");
    facts.ranks = 1;
    assert_int_equal(pen_steer_call(&steer, &peers, &facts, &calls), PEN_OK);
    assert_string_equal(s.log, "Rr");
}

/* A call is skipped that costs more than it wins until the next one, or the end, unless that much has been lost. */
static void test_skipped(void **state)
{
    (void)state;
    static const struct {
        int64_t due, remaining, steps;
        bool wants;
    } cases[] = { { 0, 9, 1, true }, { 4, 9, 1, false }, { 0, 3, 1, false }, { 4, 3, 6, true } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pen_steer steer = { .settings = settings_of("every:7"), .due = cases[i].due };
        const pen_steer_facts facts = { .step = 7,
                                        .remaining = cases[i].remaining,
                                        .ranks = 2,
                                        .nodes = 10,
                                        .base = 5.0,
                                        .load = { cases[i].steps, 2.0, 1.0, 0.0 },
                                        .total = 2.0,
                                        .speed = 1.0 };
        steer.settings.declared = true;
        assert_int_equal(pen_steer_wants_plan(&steer, &facts), cases[i].wants);
        assert_int_equal(steer.all.skipped, !cases[i].wants);
        assert_int_equal(steer.due, 7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_calls), cmocka_unit_test(test_skipped) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
