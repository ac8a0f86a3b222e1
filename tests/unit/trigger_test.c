/* trigger_test - when to balance, on sequences of loads with a known best answer.
 * pen_test() */
#include "tests/support/unit.h"

#include "steer/steer.h"
#include "steer/trigger.h"

#include <string.h>

static pen_steer_facts facts_of(int64_t step, int64_t remaining, pen_step_load load)
{
    return (
        pen_steer_facts){ .step = step, .remaining = remaining, .load = load, .longest = load.max, .planned = load };
}

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
        pen_steer_facts facts = facts_of(step, w->steps - step, load);
        o.makespan += load.max;
        if (!pen_trigger_step(&t, &facts, w->decide + w->migrate)) continue;
        if (o.calls++ == 0) o.first = step;
        bool applied = pen_trigger_accepts(&facts, 1.0, w->migrate);
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
TEST(test_constant)
{
    world w = flat(100, 0.5, 1.0, 1.0);
    outcome o = play(&w);
    assert_int_equal(o.calls, 1);
    assert_int_equal(o.applied, 1);
    assert_int_equal(o.first, 4);
}

TEST(test_balanced)
{
    world w = flat(500, 0.05, 0.01, 0.01);
    assert_int_equal(play(&w).calls, 0);
}

/* Not when the run ends before it pays. */
TEST(test_end)
{
    world w = flat(6, 0.5, 1.0, 1.0);
    assert_int_equal(play(&w).calls, 0);
}

/* Three phases: one call in each, soon after it begins. */
TEST(test_phases)
{
    world w = flat(90, 0.8, 0.05, 0.3);
    w.shifts[31] = w.shifts[61] = true;
    outcome o = play(&w);
    assert_int_equal(o.applied, 3);
    assert_true(o.makespan < 90.0 + 3 * (0.8 + 0.35) + 1e-9);
}

/* Loads that change faster than a call pays are left alone. */
TEST(test_alternation)
{
    for (int period = 1; period <= 4; period++) {
        world w = flat(400, 0.8, 2.5, 2.5);
        for (int step = 1 + period; step <= 400; step += period) w.shifts[step] = true;
        assert_true(play(&w).makespan <= 1.02 * 400 * 1.8);
    }
}

/* Two loads alternate. Nodes are placed for one of them or for neither; following one load costs more when the other
 * returns. */
typedef enum place { NEUTRAL, FOR_ONE, FOR_OTHER } place;

typedef struct turns {
    int calls, applied, mixed, last_call;
    double makespan;
} turns;

static turns take_turns(int period, int steps, int calm_from, double wrong, double cost)
{
    pen_trigger t = { 0 };
    turns o = { 0, 0, 0, 0, 0.0 };
    place is = NEUTRAL, load = FOR_ONE;
    for (int step = 1; step <= steps; step++) {
        place wanted = step >= calm_from || (step - 1) / period % 2 == 0 ? FOR_ONE : FOR_OTHER;
        double excess = is == NEUTRAL ? 0.85 : is == wanted ? 0.0 : wrong;
        pen_step_load now = { 1, 1.0 + excess, 1.0, wanted != load ? 1.0 : 0.0 };
        pen_steer_facts facts = facts_of(step, steps - step, now);
        load = wanted;
        o.makespan += now.max;
        if (!pen_trigger_step(&t, &facts, cost)) {
            assert_false(t.mixes);
            continue;
        }
        o.calls++;
        o.last_call = step;
        o.makespan += cost / 2;
        o.mixed += t.mixes;
        double max = t.mixes ? 1.85 : 1.0;
        bool applied = pen_trigger_accepts(&facts, max, cost / 2);
        if (applied) {
            o.applied++;
            o.makespan += cost / 2;
            is = t.mixes ? NEUTRAL : wanted;
        }
        pen_trigger_planned(&t, step, applied);
        assert_false(t.mixes);
    }
    return o;
}

/* Following is tried, given up for a plan that suits both, and that is all. */
TEST(test_turns)
{
    for (int period = 1; period <= 4; period++) {
        turns o = take_turns(period, 200, 1000, 4.5, 0.5);
        assert_int_equal(o.mixed, 1);
        assert_in_range(o.applied, 2, 1 + period);
        assert_true(o.makespan <= 1.08 * 200 * 1.85);
    }
    turns o = take_turns(25, 200, 1000, 4.5, 0.5);
    assert_int_equal(o.mixed, 0);
    assert_in_range(o.applied, 8, 8);
}

/* If staying is better for both, nothing moves; and a plan for both serves all remaining steps. */
TEST(test_turns_stay)
{
    turns o = take_turns(1, 200, 1000, 1.2, 0.5);
    assert_int_equal(o.mixed, 1);
    assert_int_equal(o.applied, 1);
    assert_true(o.makespan <= 1.02 * 200 * 1.6);
    pen_trigger t = { .mixes = true, .shifts = 1, .lengths = { 1 }, .waited = 2, .waited_max = 10.0 };
    pen_steer_facts facts = facts_of(5, 77, (pen_step_load){ 1, 1.0, 1.0, 0.0 });
    pen_trigger_foresee(&t, &facts);
    assert_true(facts.stays == 3.0 && facts.horizon == 77.0);
    assert_true(pen_trigger_accepts(&facts, 1.85, 1.0));
    assert_false(pen_trigger_accepts(&facts, 2.9, 1.0));
    assert_false(pen_trigger_accepts(&facts, 1.85, 77.0));
}

/* When one of them stays, it is followed again; and a run that ends soon tries nothing. */
TEST(test_turns_end)
{
    turns o = take_turns(1, 200, 101, 4.5, 0.5);
    assert_in_range(o.last_call, 103, 115);
    assert_true(o.makespan <= 1.08 * 100 * 1.85 + 100 + 15);
    assert_int_equal(take_turns(1, 5, 1000, 4.5, 0.5).mixed, 0);
}

/* A load that is elsewhere in every step and never returns is followed, except for single steps. */
TEST(test_moves_on)
{
    pen_trigger t = { 0 };
    int calls = 0;
    double excess = 1.5;
    for (int step = 1; step <= 100; step++) {
        const pen_step_load load = { 1, 1.0 + excess, 1.0, step > 1 ? 0.6 : 0.0 };
        pen_steer_facts facts = facts_of(step, 100 - step, load);
        bool calls_now = pen_trigger_step(&t, &facts, 0.2);
        assert_false(t.mixes);
        excess = calls_now ? 1.5 : excess + 1.0;
        calls += calls_now;
        if (calls_now) pen_trigger_planned(&t, step, true);
    }
    assert_in_range(calls, 90, 97);
}

/* With long phases it is worth it, in nearly every one. */
TEST(test_long_alternation)
{
    world w = flat(400, 0.8, 2.5, 2.5);
    for (int step = 41; step <= 400; step += 40) w.shifts[step] = true;
    outcome o = play(&w);
    assert_true(o.applied >= 9);
    assert_true(o.makespan < 0.75 * 400 * 1.8);
}

/* A load that drifts by m per step: near the best period, sqrt(2 C / m). */
TEST(test_drift)
{
    const double m = 0.01, cost = 0.5;
    pen_trigger t = { 0 };
    double excess = 0.0, makespan = 0.0;
    int calls = 0;
    for (int step = 1; step <= 1000; step++) {
        pen_steer_facts facts = facts_of(step, 1000 - step, (pen_step_load){ 1, 1.0 + excess, 1.0, 0.0 });
        makespan += facts.load.max;
        excess += m;
        if (!pen_trigger_step(&t, &facts, cost)) continue;
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
TEST(test_patience)
{
    pen_trigger t = { 0 };
    int calls = 0;
    for (int step = 1; step <= 1000; step++) {
        pen_steer_facts facts = facts_of(step, 1000 - step, (pen_step_load){ 1, 2.0, 1.0, 0.0 });
        if (!pen_trigger_step(&t, &facts, 0.02)) continue;
        calls++;
        assert_false(pen_trigger_accepts(&facts, 1.99, 0.01));
        pen_trigger_planned(&t, step, false);
    }
    assert_in_range(calls, 15, 22);
}

/* Skipped steps count as if each had been looked at. */
TEST(test_thinned)
{
    pen_trigger t = { 0 };
    const pen_step_load load = { 10, 1.5, 1.0, 0.0 };
    pen_steer_facts first = facts_of(10, 1000, load), second = facts_of(20, 990, load);
    assert_false(pen_trigger_step(&t, &first, 8.0));
    assert_true(pen_trigger_step(&t, &second, 8.0));
}

/* Loads stay for the median of their lengths; for as long again if they have stayed longer; not beyond the end. */
TEST(test_horizon)
{
    static const int64_t steps[] = { 33, 40, 45, 33 }, remaining[] = { 100, 100, 100, 4 }, horizons[] = { 7, 1, 15, 4 };
    const pen_trigger t = { .shifts = 3, .lengths = { 2, 10, 30 }, .last_shift = 30 };
    for (int i = 0; i < PEN_COUNT_OF(steps); i++) {
        pen_steer_facts facts = facts_of(steps[i], remaining[i], (pen_step_load){ 1, 1.0, 1.0, 0.0 });
        pen_trigger_foresee(&t, &facts);
        assert_true(facts.horizon == (double)horizons[i]);
    }
}

/* What the trigger and the forecast know is in a checkpoint. */
TEST(test_state)
{
    pen_steer written, read;
    memset(&written, 0, sizeof written);
    memset(&read, 0, sizeof read);
    pen_trigger *t = &written.trigger;
    int64_t *const ints[] = { &t->last_shift, &t->lengths[0], &t->lengths[4], &t->patience,
                              &t->resume,     &t->waited,     &t->trials,     &t->next_try };
    double *const reals[] = { &t->lost,        &t->since_shift, &t->between_shifts, &t->waited_max,
                              &t->waited_lost, &t->spent,       &t->bearable };
    for (int i = 0; i < PEN_COUNT_OF(ints); i++) *ints[i] = 10 + i;
    for (int i = 0; i < PEN_COUNT_OF(reals); i++) *reals[i] = 0.5 + i;
    t->shifts = 3;
    t->mode = PEN_TRIGGER_RESTS;
    t->mixes = true;
    written.forecast.keeps = true;
    written.forecast.quiet = 2;
    written.forecast.steps = 3;
    written.forecast.last_error = 0.25;
    written.forecast.average_error = 0.125;
    written.facts.load = (pen_step_load){ 3, 2.0, 1.0, 0.5 };
    pen_balance_call call = { .step = 7, .evaluation.counts = { 0.0, 4.0 } };
    const char *const names[] = { "apples", "pears", NULL }, *const others[] = { "pears", "apples", NULL };
    written.calls = &call;
    written.call_count = 1;
    written.all.counts[1] = 4.0;
    pen_bytes bytes = { .data = NULL };
    assert_int_equal(pen_steer_code(&(pen_coder){ .out = &bytes }, &written, names, 0.0), PEN_OK);
    pen_scan scan = { .at = bytes.data, .end = bytes.data + bytes.size };
    assert_int_equal(pen_steer_code(&(pen_coder){ .in = &scan }, &read, others, 0.0), PEN_OK);
    assert_true(read.calls[0].step == 7 && read.calls[0].evaluation.counts[1] == 0.0 && read.all.counts[1] == 0.0);
    assert_true(scan.at == scan.end);
    scan.at = bytes.data;
    assert_int_equal(pen_steer_code(&(pen_coder){ .in = &scan }, &read, names, 0.0), PEN_OK);
    assert_true(read.calls[0].evaluation.counts[1] == 4.0 && read.all.counts[1] == 4.0);
    assert_memory_equal(&read.trigger, t, sizeof *t);
    assert_memory_equal(&read.forecast, &written.forecast, sizeof read.forecast);
    const pen_step_load *planned = &read.facts.planned; /* for one load, whatever the file has of averages */
    assert_true(planned->steps == 3 && planned->max == 2.0 && planned->mean == 1.0);
    assert_true(scan.at == scan.end);
    pen_bytes_free(&bytes);
    pen_steer_free(&read);
}
