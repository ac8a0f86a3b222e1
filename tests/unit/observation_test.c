/* observation_test - observables of one process: extremes of reals in their order (-0 before +0), results without
 * contributions, NaN, and text.
 * pen_test() */
#include "tests/support/unit.h"

#include "observe/observation.h"

#include <float.h>
#include <math.h>

enum { LOW_INT, HIGH_INT, SUM_INT, LOW, HIGH, SUM, OBSERVABLES };

static const pen_observable table[OBSERVABLES] = {
    { "low int", PEN_MIN_INT, 1 },   { "high int", PEN_MAX_INT, 1 },   { "sum int", PEN_SUM_INT, 1 },
    { "low real", PEN_MIN_REAL, 1 }, { "high real", PEN_MAX_REAL, 1 }, { "sum real", PEN_SUM_REAL, 1 },
};

static const pen_app app = { PEN_OBSERVABLES(table, NULL) };

static pen_observables *observe_reals(const double *values, int count)
{
    static pen_comm self = { .mpi = MPI_COMM_SELF };
    pen_observables *o;
    assert_int_equal(pen_observation_create(&app, &o), PEN_OK);
    pen_observation_begin(o, PEN_AFTER_STEP);
    for (int i = 0; i < count; i++)
        for (int k = LOW; k <= SUM; k++) pen_observe_real(&o->given, k, values[i]);
    assert_int_equal(pen_observation_reduce(&self, o), PEN_OK);
    return o;
}

static void expect_text(const pen_observables *o, int index, const char *expected)
{
    char text[64];
    pen_observation_text(o, index, text, sizeof text);
    assert_string_equal(text, expected);
}

#define EXPECT_REALS(low, high, sum, ...)                                    \
    do {                                                                     \
        const double values_[] = { __VA_ARGS__ };                            \
        pen_observables *o_ = observe_reals(values_, PEN_COUNT_OF(values_)); \
        expect_text(o_, LOW, low);                                           \
        expect_text(o_, HIGH, high);                                         \
        expect_text(o_, SUM, sum);                                           \
        pen_observation_destroy(&o_);                                        \
        assert_null(o_);                                                     \
    } while (0)

TEST(reals_are_ordered)
{
    EXPECT_REALS("-0", "0", "0", 0.0, -0.0);
    EXPECT_REALS("-0", "0", "0", -0.0, 0.0);
    EXPECT_REALS("-0", "-0", "0", -0.0);
    EXPECT_REALS("-2.5", "1.5", "-1", 1.5, -2.5);
    EXPECT_REALS("-2.5", "-1.5", "-4", -1.5, -2.5);
    EXPECT_REALS("-4.9406564584124654e-324", "4.9406564584124654e-324", "0", 0x1p-1074, -0x1p-1074, 0.0);
    EXPECT_REALS("-inf", "1.7976931348623157e+308", "-inf", DBL_MAX, -INFINITY);
    EXPECT_REALS("-inf", "inf", "nan", INFINITY, -INFINITY);
}

/* A NaN anywhere must be visible in the result. */
TEST(a_nan_is_seen)
{
    EXPECT_REALS("nan", "nan", "nan", 1.0, NAN, -1.0);
    EXPECT_REALS("nan", "nan", "nan", 1.0, -NAN, -INFINITY);
}

TEST(nothing_observed)
{
    pen_observables *o = observe_reals(NULL, 0);
    expect_text(o, LOW, "inf");
    expect_text(o, HIGH, "-inf");
    expect_text(o, SUM, "0");
    expect_text(o, LOW_INT, "9223372036854775807");
    expect_text(o, HIGH_INT, "-9223372036854775808");
    expect_text(o, SUM_INT, "0");
    pen_observation_destroy(&o);
    pen_observation_destroy(&o);
}

TEST(ints_and_reset)
{
    pen_comm self = { .mpi = MPI_COMM_SELF };
    pen_observables *o = observe_reals((const double[]){ 7.0 }, 1);
    for (int turn = 0; turn < 2; turn++) { /* the second time as if there had been no first */
        pen_observation_begin(o, PEN_AFTER_STEP);
        static const int64_t values[] = { 3, INT64_MAX, -1, INT64_MIN, 5 };
        for (int i = 0; i < 5; i++)
            for (int k = LOW_INT; k <= SUM_INT; k++) pen_observe_int(&o->given, k, values[i]);
        assert_int_equal(pen_observation_reduce(&self, o), PEN_OK);
        expect_text(o, LOW_INT, "-9223372036854775808");
        expect_text(o, HIGH_INT, "9223372036854775807");
        expect_text(o, SUM_INT, "6");
        expect_text(o, HIGH, "-inf");
    }
    pen_observation_destroy(&o);
}

/* More observables than are near, and more values than there is room for. */
TEST(many)
{
    enum { MANY = 20, VALUES = 1500 };
    static const char *const expected[OBSERVABLES] = { "-750", "749", "-750", "-187.5", "187.25", "-187.5" };
    pen_comm self = { .mpi = MPI_COMM_SELF };
    pen_observable names[MANY];
    char texts[MANY][16];
    pen_observables *o;
    for (int k = 0; k < MANY; k++) {
        snprintf(texts[k], sizeof texts[k], "o%d", k);
        names[k] = table[k % OBSERVABLES];
        names[k].name = texts[k];
    }
    const pen_app wide = { PEN_OBSERVABLES(names, NULL) };
    assert_int_equal(pen_observation_create(&wide, &o), PEN_OK);
    pen_observation_begin(o, PEN_AFTER_STEP);
    for (int64_t value = VALUES / 2 - 1; value >= -VALUES / 2; value--)
        for (int k = 0; k < MANY; k++)
            if (pen_observable_is_int(names[k].kind)) pen_observe_int(&o->given, k, value);
            else pen_observe_real(&o->given, k, 0.25 * (double)value);
    assert_int_equal(pen_observation_reduce(&self, o), PEN_OK);
    for (int k = 0; k < MANY; k++) expect_text(o, k, expected[k % OBSERVABLES]);
    pen_observation_destroy(&o);
}

int unit_begin(void) { return MPI_Init(NULL, NULL); }
int unit_end(void) { return MPI_Finalize(); }
