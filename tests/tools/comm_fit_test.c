/* comm_fit_test - the lines that pen-comm fits: known ones are found again; and its intervals of medians.
 * pen_test(LINK pen_comparison) */
#include "tests/support/unit.h"
#include "tests/support/world.h"

#include "tools/comm/fit.h"
#include "tools/common/order.h"

#include <math.h>
#include <stdio.h>

enum { COUNT = 8 };

static const double bytes[COUNT] = { 64, 512, 4096, 8192, 32768, 131072, 524288, 1048576 };

/* Show both numbers if they differ by more than the fraction `tolerance`. */
static void assert_near(double found, double expected, double tolerance)
{
    if (fabs(found - expected) <= tolerance * fabs(expected)) return;
    fail_msg("found %.9g, expected %.9g", found, expected);
}

/* The largest relative distance of a time from the line. */
static double misses_of(comm_fit fit, const double *x, const double *times, int count)
{
    double misses = 0.0;
    for (int i = 0; i < count; i++) misses = fmax(misses, fabs((fit.start + fit.slope * x[i]) / times[i] - 1.0));
    return misses;
}

TEST(test_exact)
{
    static const double latencies[] = { 2e-7, 1e-6, 3e-5 }, bandwidths[] = { 1e8, 1.25e9, 4e10 };
    for (int l = 0; l < 3; l++)
        for (int b = 0; b < 3; b++) {
            double times[COUNT];
            for (int i = 0; i < COUNT; i++) times[i] = latencies[l] + bytes[i] / bandwidths[b];
            comm_fit fit = pen_fit_line(bytes, times, COUNT);
            assert_true(fit.known);
            assert_near(fit.start, latencies[l], 1e-6);
            assert_near(1.0 / fit.slope, bandwidths[b], 1e-6);
            assert_true(misses_of(fit, bytes, times, COUNT) < 1e-6);
        }
}

/* Times off by 5 % to either side: both numbers come out within 10 %, also the latency, which is a thousandth of the
 * longest time. */
TEST(test_noise)
{
    uint64_t random = 1;
    for (int trial = 0; trial < 200; trial++) {
        double times[COUNT];
        for (int i = 0; i < COUNT; i++) {
            times[i] = (1e-6 + bytes[i] / 1e9) * (1.0 + 0.05 * ((double)(case_random(&random) >> 7) / (1 << 23) - 1.0));
        }
        comm_fit fit = pen_fit_line(bytes, times, COUNT);
        assert_near(fit.start, 1e-6, 0.1);
        assert_near(fit.slope, 1e-9, 0.1);
        assert_true(misses_of(fit, bytes, times, COUNT) < 0.15);
    }
}

/* The best lines have a negative slope, or start below zero. */
TEST(test_bounds)
{
    static const double x[] = { 1, 2, 3 }, falling[] = { 3, 2, 1 }, steep[] = { 1, 4, 9 };
    comm_fit fit = pen_fit_line(x, falling, 3);
    assert_true(fit.known);
    assert_near(fit.slope, 0.0, 0.0);
    assert_near(fit.start, (1.0 / 3 + 1.0 / 2 + 1.0) / (1.0 / 9 + 1.0 / 4 + 1.0), 1e-12);
    assert_near(misses_of(fit, x, falling, 3), 1.0 - fit.start / 3.0, 1e-12);
    fit = pen_fit_line(x, steep, 3);
    assert_near(fit.start, 0.0, 0.0);
    assert_near(fit.slope, (1.0 + 0.5 + 1.0 / 3) / (1.0 + 0.25 + 1.0 / 9), 1e-12);
}

TEST(test_unknown)
{
    static const double same[] = { 8, 8, 8 }, times[] = { 1, 2, 3 };
    assert_false(pen_fit_line(same, times, 3).known);
    assert_false(pen_fit_line(same, times, 1).known);
    assert_false(pen_fit_line(same, times, 0).known);
}

/* As in tables of order statistics: the 0.025-quantile of the binomial distribution. */
TEST(test_interval)
{
    static const int known[][2] = {
        { 0, 0 }, { 5, 0 }, { 6, 1 }, { 8, 1 }, { 9, 2 }, { 20, 6 }, { 50, 18 }, { 100, 40 }
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_int_equal(pen_median_rank(known[i][0]), known[i][1]);
    assert_int_equal(pen_median_rank(100000), 49690);
}
