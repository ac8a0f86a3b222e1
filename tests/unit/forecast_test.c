/* forecast_test.c - which loads a plan is for, on loads with a known answer.
 * pen_test() */
#include "tests/support/unit.h"

#include "steer/forecast.h"

#include <math.h>

enum { STEPS = 60 };

/* In how many of the steps a load is better predicted by its average. */
static int steps_by_average(double (*load)(int step))
{
    pen_forecast f = { .steps = 0 };
    pen_past past = { 0.0, 0.0 };
    int by_average = 0;
    for (int step = 0; step < STEPS; step++) {
        const double now = load(step);
        pen_past_sums sums = { 0.0, 0.0, 0.0 };
        pen_forecast_add(&past, now, pen_forecast_weight(&f), &sums);
        assert_true(sums.last == (step > 0 ? load(step - 1) : 0.0) && sums.next == past.average);
        pen_forecast_step(&f, fabs(now - sums.last), fabs(now - sums.average));
        by_average += pen_forecast_by_average(&f);
    }
    return by_average;
}

static double constant(int step) { return 3.0 + 0.0 * step; }
static double drifting(int step) { return 5.0 + 0.1 * step; }
static double alternating(int step) { return step % 2 == 0 ? 1.0 : 2.0; }
static double jumping_once(int step) { return step < STEPS / 2 ? 1.0 : 10.0; }

TEST(test_choice)
{
    assert_int_equal(steps_by_average(constant), 0);
    assert_int_equal(steps_by_average(drifting), 0);
    assert_int_equal(steps_by_average(jumping_once), 0);
    assert_int_equal(steps_by_average(alternating), STEPS - 2); /* from the third step on */
}

/* Loads that fluctuate for a while, and then drift. */
static double settling(int step) { return step < STEPS / 2 ? alternating(step) : drifting(step); }

TEST(test_return)
{
    const int by_average = steps_by_average(settling);
    assert_in_range(by_average, STEPS / 2 - 2, STEPS / 2 + 10);
}

/* The mean of the first ten loads, then a tenth of each next one. */
TEST(test_average)
{
    pen_forecast f = { .steps = 0 };
    pen_past past = { 0.0, 0.0 }, fresh = past;
    pen_past_sums sums = { 0.0, 0.0, 0.0 };
    double sum = 0.0;
    for (int step = 0; step < 10; step++) {
        sum += step * step + 1.0;
        pen_forecast_add(&past, step * step + 1.0, pen_forecast_weight(&f), &sums);
        pen_forecast_step(&f, 1.0, 0.5);
        assert_true(fabs(past.average - sum / (step + 1)) < 1e-12 * sum);
    }
    const double before = past.average;
    sums = (pen_past_sums){ 0.0, 0.0, 0.0 };
    pen_forecast_add(&past, 0.0, pen_forecast_weight(&f), &sums);
    pen_forecast_add(&fresh, 7.0, pen_forecast_weight(&f), &sums); /* a new node */
    assert_true(fabs(past.average - 0.9 * before) < 1e-12 * sum && past.last == 0.0);
    assert_true(fresh.average == 7.0 && fresh.last == 7.0);
    assert_true(sums.average == before && sums.last == 82.0 && sums.next == past.average + 7.0);
    past.average = 1e17; /* kept long ago */
    pen_forecast_add(&past, 3.0, 1.0, &sums);
    assert_true(past.average == 3.0);
}

/* The first step has no predictions. */
TEST(test_first)
{
    pen_forecast f = { .steps = 0 };
    pen_forecast_step(&f, 100.0, 1.0);
    assert_false(pen_forecast_by_average(&f));
    pen_forecast_step(&f, 2.0, 1.0);
    assert_true(pen_forecast_by_average(&f) && f.steps == 2);
}

/* Averages are kept from the first wanted plan on, until they were of no use for 50 steps; then they begin anew. */
TEST(test_kept)
{
    pen_forecast f = { .steps = 0 };
    pen_forecast_decide(&f, false);
    assert_false(f.keeps);
    pen_forecast_decide(&f, true);
    assert_true(f.keeps);
    for (int step = 0; step < 49; step++) {
        pen_forecast_step(&f, 1.0, 2.0);
        pen_forecast_decide(&f, false);
        assert_true(f.keeps);
    }
    pen_forecast_decide(&f, true);          /* of use again */
    for (int step = 0; step < 80; step++) { /* better than the last step */
        pen_forecast_step(&f, 2.0, 1.0);
        pen_forecast_decide(&f, false);
        assert_true(f.keeps);
    }
    int steps = 0;
    for (; f.keeps && steps < 200; steps++) {
        pen_forecast_step(&f, 1.0, 2.0);
        pen_forecast_decide(&f, false);
    }
    assert_in_range(steps, 50, 80);
    pen_forecast_decide(&f, true);
    assert_true(f.keeps && f.steps == 0 && f.quiet == 0 && pen_forecast_weight(&f) == 1.0);
    assert_false(pen_forecast_by_average(&f));
}
