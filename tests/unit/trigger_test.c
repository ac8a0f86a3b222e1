/* trigger_test - when to balance, on loads over time whose best answer is known. */
#include "steer/trigger.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* A world in which a plan makes all ranks equal until loads shift. */
typedef struct world {
    double excess[1000]; /* max - mean of a step, mean being 1, if nobody has balanced since the last shift */
    bool shifts[1000];   /* before that step */
    int steps;
    double decide, migrate;
} world;

typedef struct outcome {
    int calls, applied, first;
    double makespan;
} outcome;

static outcome play(const world *w)
{
    pen_trigger t = { 0 };
    outcome o = { 0, 0, 0, 0.0 };
    double removed = 0.0;
    for (int step = 1; step <= w->steps; step++) {
        if (w->shifts[step]) removed = 0.0;
        double excess = w->excess[step] > removed ? w->excess[step] - removed : 0.0;
        pen_step_load load = { 1, 1.0 + excess, 1.0, w->shifts[step] ? 1.0 : 0.0 };
        o.makespan += load.max;
        int64_t remaining = w->steps - step;
        if (!pen_trigger_step(&t, step, &load, remaining, w->decide, w->migrate)) continue;
        if (o.calls++ == 0) o.first = step;
        bool applied = pen_trigger_accepts(&t, step, &load, remaining, 1.0, w->migrate);
        o.makespan += w->decide;
        if (applied) {
            o.applied++;
            o.makespan += w->migrate;
            removed = w->excess[step];
        }
        pen_trigger_planned(&t, step, applied);
    }
    return o;
}

static world flat(int steps, double excess, double decide, double migrate)
{
    world w = { .steps = steps, .decide = decide, .migrate = migrate };
    for (int i = 0; i < 1000; i++) w.excess[i] = excess;
    return w;
}

/* It waits until as much is lost as a call costs, and then calls once. */
static void test_constant(void **state)
{
    (void)state;
    world w = flat(100, 0.5, 1.0, 1.0);
    outcome o = play(&w);
    assert_int_equal(o.calls, 1);
    assert_int_equal(o.applied, 1);
    assert_int_equal(o.first, 4);
}

static void test_balanced(void **state)
{
    (void)state;
    world w = flat(500, 0.05, 0.01, 0.01);
    assert_int_equal(play(&w).calls, 0);
}

/* Not when the run ends before it pays. */
static void test_end(void **state)
{
    (void)state;
    world w = flat(6, 0.5, 1.0, 1.0);
    assert_int_equal(play(&w).calls, 0);
}

/* Three phases: one call in each, soon after it begins. */
static void test_phases(void **state)
{
    (void)state;
    world w = flat(90, 0.8, 0.05, 0.3);
    w.shifts[31] = w.shifts[61] = true;
    outcome o = play(&w);
    assert_int_equal(o.applied, 3);
    assert_true(o.makespan < 90.0 + 3 * (0.8 + 0.35) + 1e-9);
}

/* Loads that change faster than a call pays are left alone. */
static void test_alternation(void **state)
{
    (void)state;
    for (int period = 1; period <= 4; period++) {
        world w = flat(400, 0.8, 2.5, 2.5);
        for (int step = 1 + period; step <= 400; step += period) w.shifts[step] = true;
        assert_true(play(&w).makespan <= 1.02 * 400 * 1.8);
    }
}

/* With long phases it is worth it, in nearly every one. */
static void test_long_alternation(void **state)
{
    (void)state;
    world w = flat(400, 0.8, 2.5, 2.5);
    for (int step = 41; step <= 400; step += 40) w.shifts[step] = true;
    outcome o = play(&w);
    assert_true(o.applied >= 9);
    assert_true(o.makespan < 0.75 * 400 * 1.8);
}

/* A load that drifts by m per step: near the best period, sqrt(2 C / m). */
static void test_drift(void **state)
{
    (void)state;
    const double m = 0.01, cost = 0.5;
    pen_trigger t = { 0 };
    double excess = 0.0, makespan = 0.0;
    int calls = 0;
    for (int step = 1; step <= 1000; step++) {
        pen_step_load load = { 1, 1.0 + excess, 1.0, 0.0 };
        makespan += load.max;
        excess += m;
        if (!pen_trigger_step(&t, step, &load, 1000 - step, cost / 2, cost / 2)) continue;
        calls++;
        makespan += cost;
        excess = 0.0;
        pen_trigger_planned(&t, step, true);
    }
    double best = 1000.0 * (1.0 + 0.1); /* every 10 steps, 0.05 lost per step and 0.05 for the call */
    assert_in_range(calls, 70, 110);
    assert_true(makespan < 1.02 * best);
}

/* A plan that does not help is asked for less and less often. */
static void test_patience(void **state)
{
    (void)state;
    pen_trigger t = { 0 };
    int calls = 0;
    for (int step = 1; step <= 1000; step++) {
        pen_step_load load = { 1, 2.0, 1.0, 0.0 };
        if (!pen_trigger_step(&t, step, &load, 1000 - step, 0.01, 0.01)) continue;
        calls++;
        assert_false(pen_trigger_accepts(&t, step, &load, 1000 - step, 1.99, 0.01));
        pen_trigger_planned(&t, step, false);
    }
    assert_in_range(calls, 15, 22);
}

/* Skipped steps count as if each had been looked at. */
static void test_thinned(void **state)
{
    (void)state;
    pen_trigger t = { 0 };
    pen_step_load load = { 10, 1.5, 1.0, 0.0 };
    assert_false(pen_trigger_step(&t, 10, &load, 1000, 4.0, 4.0));
    assert_true(pen_trigger_step(&t, 20, &load, 990, 4.0, 4.0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constant), cmocka_unit_test(test_balanced),    cmocka_unit_test(test_end),
        cmocka_unit_test(test_phases),   cmocka_unit_test(test_alternation), cmocka_unit_test(test_long_alternation),
        cmocka_unit_test(test_drift),    cmocka_unit_test(test_patience),    cmocka_unit_test(test_thinned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
