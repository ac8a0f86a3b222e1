/* exact_sum_test - the accumulator, and the sums of many terms, against sums known by hand, against 128-bit integers,
 * against another exact algorithm, expansions of doubles that do not overlap (Shewchuk), and bit by bit.
 * pen_test() */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "observe/exact_sum.h"

#define TINY 0x1p-1074

static uint64_t state = 1;

static uint64_t random_bits(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* The same bits; all NaNs are the same. */
static void expect_same(double found, double expected)
{
    if (isnan(found) && isnan(expected)) return;
    uint64_t a, b;
    memcpy(&a, &found, sizeof a);
    memcpy(&b, &expected, sizeof b);
    if (a != b) print_error("found %a, expected %a\n", found, expected);
    assert_true(a == b);
}

/* One by one, all at once, or first some in either way. */
static void collect(pen_exact_sum *sum, const double *terms, size_t count)
{
    size_t alone = random_bits() % (count + 1);
    for (size_t i = 0; i < alone; i++) pen_exact_add(sum, terms[i]);
    if (count) pen_exact_add_all(sum, (int64_t)(count - alone), terms + alone);
}

/* In both ways, which must agree. */
static double sum_of(const double *terms, size_t count)
{
    pen_exact_sum sum = { .pending = 0 }, collected = { .pending = 0 };
    for (size_t i = 0; i < count; i++) pen_exact_add(&sum, terms[i]);
    collect(&collected, terms, count);
    double value = pen_exact_value(&sum);
    expect_same(pen_exact_value(&collected), value);
    return value;
}

static void shuffle(double *terms, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = random_bits() % i;
        double term = terms[i - 1];
        terms[i - 1] = terms[j];
        terms[j] = term;
    }
}

#define EXPECT_SUM(expected, ...)                                                      \
    do {                                                                               \
        double terms_[] = { __VA_ARGS__ };                                             \
        for (int turn_ = 0; turn_ < 6; turn_++) {                                      \
            expect_same(sum_of(terms_, sizeof terms_ / sizeof terms_[0]), (expected)); \
            shuffle(terms_, sizeof terms_ / sizeof terms_[0]);                         \
        }                                                                              \
    } while (0)

TEST(test_by_hand)
{
    expect_same(sum_of(NULL, 0), 0.0);
    EXPECT_SUM(0.0, -0.0, -0.0);
    EXPECT_SUM(0.0, 1.5, -1.5);
    EXPECT_SUM(1.0, 0x1p1000, 1.0, -0x1p1000);
    EXPECT_SUM(-1.0, 0x1p1000, -1.0, -0x1p1000);
    EXPECT_SUM(0x1.8p0, 1.0, 0.5);
    EXPECT_SUM(TINY, DBL_MAX, TINY, -DBL_MAX);
    EXPECT_SUM(-TINY, DBL_MAX, -TINY, -DBL_MAX);
}

TEST(test_subnormals)
{
    EXPECT_SUM(3 * TINY, TINY, TINY, TINY);
    EXPECT_SUM(DBL_MIN, DBL_MIN - TINY, TINY);
    EXPECT_SUM(DBL_MIN - TINY, DBL_MIN, -TINY);
    EXPECT_SUM(-(DBL_MIN - TINY), -DBL_MIN, TINY);
    EXPECT_SUM(2 * DBL_MIN, DBL_MIN, DBL_MIN - TINY, TINY);
    EXPECT_SUM(0x1p-1021, 0x1p-1021, -TINY, TINY);
    EXPECT_SUM(0x1p-1000, 0x1p-1000, TINY); /* rounds down */
}

TEST(test_ties)
{
    EXPECT_SUM(0x1p53, 0x1p53, 1.0);
    EXPECT_SUM(0x1p53 + 2, 0x1p53, 1.0, TINY);
    EXPECT_SUM(0x1p53, 0x1p53, 1.0, -TINY);
    EXPECT_SUM(0x1p53 + 4, 0x1p53 + 2, 1.0);
    EXPECT_SUM(0x1p53 + 2, 0x1p53 + 2, 1.0, -0x1p-500);
    EXPECT_SUM(-0x1p53, -0x1p53, -1.0);
    EXPECT_SUM(-(0x1p53 + 4), -(0x1p53 + 2), -1.0);
    EXPECT_SUM(-(0x1p53 + 2), -0x1p53, -1.0, -TINY);
    for (int e = -1000; e <= 900; e++) { /* every position in the digits */
        double unit = ldexp(1.0, e);
        EXPECT_SUM(unit, unit, ldexp(unit, -53));
        EXPECT_SUM(unit * (1 + 2 * DBL_EPSILON), unit * (1 + DBL_EPSILON), ldexp(unit, -53));
        EXPECT_SUM(unit * (1 + DBL_EPSILON), unit, ldexp(unit, -53), TINY);
        EXPECT_SUM(-unit, -unit, ldexp(-unit, -53), TINY);
    }
}

TEST(test_overflow)
{
    EXPECT_SUM(INFINITY, DBL_MAX, DBL_MAX);
    EXPECT_SUM(-INFINITY, -DBL_MAX, -DBL_MAX);
    EXPECT_SUM(DBL_MAX, DBL_MAX, DBL_MAX, -DBL_MAX);
    EXPECT_SUM(0.0, DBL_MAX, DBL_MAX, DBL_MAX, -DBL_MAX, -DBL_MAX, -DBL_MAX);
    EXPECT_SUM(DBL_MAX, DBL_MAX, 0x1p969);  /* a quarter of the last place */
    EXPECT_SUM(INFINITY, DBL_MAX, 0x1p970); /* half, and DBL_MAX is odd */
    EXPECT_SUM(DBL_MAX, DBL_MAX, 0x1p970, -TINY);
    EXPECT_SUM(-INFINITY, -DBL_MAX, -0x1p970);
}

TEST(test_not_finite)
{
    EXPECT_SUM(INFINITY, INFINITY, 1.0, -DBL_MAX);
    EXPECT_SUM(-INFINITY, -INFINITY, DBL_MAX, DBL_MAX);
    EXPECT_SUM(NAN, INFINITY, -INFINITY);
    EXPECT_SUM(NAN, NAN, 1.0);
    EXPECT_SUM(NAN, -NAN, INFINITY);
}

/* Terms k * 2^e of one e: the sum of the k fits 128 bits, whose conversion to double rounds once. */
TEST(test_integers)
{
    __extension__ typedef __int128 integer;
    for (int turn = 0; turn < 2000; turn++) {
        int e = (int)(random_bits() % 1900) - 1000, count = 1 + (int)(random_bits() % 50);
        double terms[51];
        integer sum = 0;
        for (int i = 0; i < count; i++) {
            int64_t k = (int64_t)(random_bits() >> 11) * (random_bits() & 1 ? 1 : -1);
            int up = (int)(random_bits() % 64);
            terms[i] = ldexp((double)k, up + e);
            sum += (integer)k * ((integer)1 << up);
        }
        if (turn % 2 == 0) { /* near cancellation */
            terms[count] = -ldexp((double)sum, e);
            sum -= (integer)(double)sum;
            count++;
        }
        expect_same(sum_of(terms, (size_t)count), ldexp((double)sum, e));
    }
}

/* Shewchuk's growing expansion, with the last step of Python's math.fsum for rounding. */
static double expansion_sum(const double *terms, size_t count)
{
    double parts[200];
    size_t used = 0;
    for (size_t t = 0; t < count; t++) {
        double x = terms[t];
        size_t kept = 0;
        for (size_t i = 0; i < used; i++) {
            double y = parts[i];
            if (fabs(x) < fabs(y)) {
                double swap = x;
                x = y;
                y = swap;
            }
            double high = x + y, low = y - (high - x);
            if (low != 0.0) parts[kept++] = low;
            x = high;
        }
        parts[kept++] = x;
        used = kept;
    }
    double high = 0.0, low = 0.0;
    while (used > 0 && low == 0.0) {
        double x = high, y = parts[--used];
        high = x + y;
        low = y - (high - x);
    }
    if (used > 0 && ((low < 0.0 && parts[used - 1] < 0.0) || (low > 0.0 && parts[used - 1] > 0.0))) {
        double twice = 2.0 * low, next = high + twice;
        if (twice == next - high) high = next;
    }
    return high == 0.0 ? 0.0 : high;
}

static double random_double(int widest)
{
    double mantissa = (double)(random_bits() >> 11) * (random_bits() & 1 ? 1.0 : -1.0);
    return ldexp(mantissa, (int)(random_bits() % (uint64_t)widest) - widest / 2 - 60);
}

TEST(test_wide)
{
    for (int turn = 0; turn < 3000; turn++) {
        static const int widths[] = { 10, 60, 200, 2000 };
        double terms[64];
        size_t count = 2 + random_bits() % 60;
        for (size_t i = 0; i < count; i++)
            terms[i] = i % 3 == 2 ? -terms[random_bits() % i] : random_double(widths[turn % 4]);
        double expected = expansion_sum(terms, count);
        expect_same(sum_of(terms, count), expected);
        shuffle(terms, count);
        expect_same(sum_of(terms, count), expected);
    }
}

/* Bit by bit: how often each bit is set in the terms, those of negative terms counted down. Bit b is 2^(b - 1074). */
enum { BITS = 2200 };

static void count_bits(int64_t *counts, double term)
{
    int exponent;
    double fraction = frexp(fabs(term), &exponent);
    for (int b = exponent + 1073; fraction > 0.0; b--) {
        fraction *= 2.0;
        if (fraction < 1.0) continue;
        fraction -= 1.0;
        counts[b] += term < 0.0 ? -1 : 1;
    }
}

/* Carries, and their remainder beyond the highest bit: -1 for a negative number. */
static int64_t carry_bits(int64_t *counts)
{
    int64_t carry = 0;
    for (int b = 0; b < BITS; b++) {
        int64_t count = counts[b] + carry;
        counts[b] = count & 1;
        carry = (count - counts[b]) / 2;
    }
    return carry;
}

static double sum_bits(const double *terms, size_t count)
{
    static int64_t counts[BITS];
    memset(counts, 0, sizeof counts);
    for (size_t i = 0; i < count; i++) count_bits(counts, terms[i]);
    bool negative = carry_bits(counts) < 0;
    if (negative) {
        for (int b = 0; b < BITS; b++) counts[b] = -counts[b];
        carry_bits(counts);
    }
    int top = BITS - 1;
    while (top > 0 && !counts[top]) top--;
    int last = top > 52 ? top - 52 : 0; /* the bit of the last place */
    int64_t mantissa = 0;
    for (int b = top; b >= last; b--) mantissa = 2 * mantissa + counts[b];
    bool half = last > 0 && counts[last - 1], more = false;
    for (int b = 0; b < last - 1; b++) more |= counts[b] != 0;
    mantissa += half && (more || (mantissa & 1));
    return ldexp((double)(negative ? -mantissa : mantissa), last - 1074);
}

/* Any bits: exponents, signs and mantissas; in every third turn what is not finite, too. */
static double any_double(bool finite)
{
    double value;
    do {
        uint64_t bits = random_bits() ^ random_bits() << 32;
        if (random_bits() % 8 == 0) bits &= ~(UINT64_C(0x7ff) << 52); /* subnormal, or zero */
        if (random_bits() % 8 == 0) bits &= UINT64_MAX << 52;         /* a power of two */
        if (!finite && random_bits() % 16 == 0) bits |= UINT64_C(0x7ff) << 52;
        memcpy(&value, &bits, sizeof value);
    } while (finite && !isfinite(value));
    return value;
}

TEST(test_any_bits)
{
    for (int turn = 0; turn < 3000; turn++) {
        double terms[64];
        bool finite = turn % 3 != 0, plus = false, minus = false, nan = false;
        size_t count = 1 + random_bits() % 64;
        for (size_t i = 0; i < count; i++) {
            terms[i] = any_double(finite);
            if (turn % 2 == 0 && i % 2 == 1) terms[i] = -terms[random_bits() % i]; /* cancellation */
            nan |= isnan(terms[i]) != 0;
            plus |= isinf(terms[i]) && terms[i] > 0;
            minus |= isinf(terms[i]) && terms[i] < 0;
        }
        double found = sum_of(terms, count);
        if (nan || (plus && minus)) assert_true(isnan(found));
        else if (plus || minus) expect_same(found, plus ? INFINITY : -INFINITY);
        else expect_same(found, sum_bits(terms, count) + 0.0); /* never -0 */
    }
}

/* Blocks that are full: the largest and the smallest mantissas of some exponents. */
TEST(test_many_of_an_exponent)
{
    enum { ROOM = 512, COUNT = 9 * ROOM + 5 };
    static double terms[COUNT];
    static const double units[] = { 0x1p-1074, 0x1p-1022, 0x1p-500, 1.0, 0x1p63, 0x1p900, 0x1p1010 };
    for (size_t u = 0; u < sizeof units / sizeof units[0]; u++)
        for (int kind = 0; kind < 4; kind++) {
            for (int i = 0; i < COUNT; i++) {
                double largest = units[u] * (2.0 - DBL_EPSILON), sign = kind % 2 ? -1.0 : 1.0;
                terms[i] = sign * (kind < 2 || i % 5 == 0 ? largest : units[u]);
            }
            expect_same(sum_of(terms, ROOM), sum_bits(terms, ROOM));
            expect_same(sum_of(terms, ROOM + 1), sum_bits(terms, ROOM + 1));
            expect_same(sum_of(terms, COUNT), sum_bits(terms, COUNT));
        }
}

/* In long sums every exponent meets every digit, in any order. */
TEST(test_long)
{
    enum { COUNT = 60000 };
    static double terms[COUNT];
    for (int turn = 0; turn < 6; turn++) {
        for (size_t i = 0; i < COUNT; i++)
            terms[i] = turn % 2 ? random_double(turn < 3 ? 30 : 2000) : ldexp(1.5, (int)(random_bits() % 2000) - 1000);
        pen_exact_sum sum = { .pending = 0 };
        for (size_t at = 0, next; at < COUNT; at = next) {
            next = at + 1 + random_bits() % 20000;
            if (next > COUNT) next = COUNT;
            collect(&sum, terms + at, next - at);
        }
        double expected = sum_bits(terms, COUNT);
        expect_same(pen_exact_value(&sum), expected);
        shuffle(terms, COUNT);
        expect_same(sum_of(terms, COUNT), expected);
    }
}

/* Terms grow or shrink from block to block, so that the constant of one block does not suit the next one. */
TEST(test_growing)
{
    enum { COUNT = 9 * 512 };
    static double terms[COUNT];
    for (int turn = 0; turn < 40; turn++) {
        for (int i = 0; i < COUNT; i++) {
            int block = turn % 2 ? i / 512 : 8 - i / 512;
            terms[i] = ldexp((double)(random_bits() % 1000), turn / 2 * block - 500);
        }
        expect_same(sum_of(terms, COUNT), sum_bits(terms, COUNT));
    }
}

/* As the ranks' accumulators are reduced: normalised, then words are added. */
TEST(test_parts)
{
    for (int turn = 0; turn < 500; turn++) {
        double terms[64];
        pen_exact_sum parts[5], whole = { .pending = 0 };
        memset(parts, 0, sizeof parts);
        for (size_t i = 0; i < 64; i++) {
            terms[i] = random_double(2000);
            pen_exact_add(&parts[random_bits() % 5], terms[i]);
        }
        for (int p = 0; p < 5; p++) {
            pen_exact_normalize(&parts[p]);
            for (int w = 0; w < PEN_EXACT_WORDS; w++) whole.words[w] += parts[p].words[w];
        }
        expect_same(pen_exact_value(&whole), sum_of(terms, 64));
    }
}

/* Carries that are propagated in the middle, as after 2^30 additions, change nothing. */
TEST(test_carries)
{
    for (int64_t early = 0; early < 40; early++) {
        pen_exact_sum sum = { .pending = (INT64_C(1) << 30) - early };
        double expected = 0.0;
        for (int i = 0; i < 40; i++) {
            double term = i % 3 ? 0xffffffffffp0 : -0x7ffffffffffp0; /* exact in any order */
            pen_exact_add(&sum, term);
            expected += term;
        }
        assert_true(sum.pending < INT64_C(1) << 30);
        expect_same(pen_exact_value(&sum), expected);
    }
    for (int64_t early = 0; early < 8; early++) { /* the same of many */
        double terms[40], expected = 0.0;
        pen_exact_sum sum = { .pending = (INT64_C(1) << 30) - early };
        for (int i = 0; i < 40; i++) expected += terms[i] = ldexp(i % 3 ? 1.0 : -1.5, i);
        collect(&sum, terms, 40);
        assert_true(sum.pending < INT64_C(1) << 30);
        expect_same(pen_exact_value(&sum), expected);
    }
}
