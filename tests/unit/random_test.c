/* random_test - Threefry-2x64-20 gives the known answers of Random123; its words, integers and reals have the right
 * distribution; equal arguments give equal numbers, and others different ones.
 * pen_test() */
#include "tests/support/unit.h"

#include <penumbra_nodes.h>

#include <math.h>

/* Lines of kat_vectors, "threefry2x64 20": counter, key, answer. */
TEST(known_answers)
{
    static const uint64_t lines[][6] = {
        { 0, 0, 0, 0, UINT64_C(0xc2b6e3a8c2c69865), UINT64_C(0x6f81ed42f350084d) },
        { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_C(0xe02cb7c4d95d277a), UINT64_C(0xd06633d0893b8b68) },
        { UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344), UINT64_C(0xa4093822299f31d0),
          UINT64_C(0x082efa98ec4e6c89), UINT64_C(0x263c7d30bb0f0af1), UINT64_C(0x56be8361d3311526) },
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        uint64_t random[2];
        pen_threefry(lines[i], lines[i] + 2, random);
        assert_true(random[0] == lines[i][4]);
        assert_true(random[1] == lines[i][5]);
    }
}

static const pen_gid ids[] = { 0, 1, 2, (INT64_C(1) << 61) + 5 };

static pen_view view_of(pen_lid slot, int64_t step, uint64_t seed)
{
    return (pen_view){ .slot = slot, .gids = ids, .step = step, .seed = seed };
}

TEST(counter_and_key)
{
    const uint64_t counter[2] = { (uint64_t)ids[3], 7 }, key[2] = { 42, 3 };
    uint64_t random[2];
    pen_view v = view_of(3, 7, 42);
    pen_threefry(counter, key, random);
    assert_true(pen_random(&v, 3) == random[0]);
    assert_true(pen_random(&v, 3) == random[0]);
    assert_true(pen_random_below(&v, 3, INT64_MAX) == pen_below(random[0], INT64_MAX));
    assert_true(pen_random_real(&v, 3) == pen_unit_real(random[0]));
    /* Each argument counts. */
    pen_view others[] = { view_of(2, 7, 42), view_of(3, 8, 42), view_of(3, 7, 43) };
    for (int i = 0; i < 3; i++) assert_true(pen_random(&others[i], 3) != random[0]);
    assert_true(pen_random(&v, 4) != random[0]);
    for (pen_lid slot = 0; slot < 4; slot++) { /* what another node draws */
        const pen_view other = view_of(slot, 7, 42);
        assert_true(pen_random_of(&v, pen_id(&other), 3) == pen_random(&other, 3));
    }
}

TEST(ranges)
{
    assert_true(pen_unit_real(0) == 0.0);
    assert_true(pen_unit_real(UINT64_MAX) == 1.0 - ldexp(1.0, -53));
    assert_true(pen_unit_real(UINT64_C(1) << 11) == ldexp(1.0, -53));
    const int64_t bounds[] = { 1, 2, 3, 10, INT64_C(1) << 32, (INT64_C(1) << 62) + 1, INT64_MAX };
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        assert_int_equal(pen_below(0, bounds[i]), 0);
        assert_true(pen_below(UINT64_MAX, bounds[i]) == bounds[i] - 1);
    }
    /* The upper half of products, against long doubles, or a computation without carries. */
    assert_true(pen_upper_product(UINT64_MAX, UINT64_MAX) == UINT64_MAX - 1);
    assert_true(pen_upper_product(UINT64_C(1) << 63, 6) == 3);
    assert_true(pen_upper_product(UINT64_C(0xffffffff00000001), UINT64_C(0x1ffffffff)) == UINT64_C(0x1fffffffd));
    assert_true(pen_upper_product(UINT64_C(0x123456789abcdef0), UINT64_C(1) << 60) == UINT64_C(0x123456789abcdef));
}

/* Of 256 bins with 1024 each, chi square has 255 degrees of freedom: mean 255, deviation 22.6. These words are always
 * the same, so the bounds, of 4 deviations, hold always or never. */
enum { BINS = 256, DRAWS = BINS * 1024 };

static double chi_square(const int *counts)
{
    double sum = 0.0, expected = (double)DRAWS / BINS;
    for (int i = 0; i < BINS; i++) sum += (counts[i] - expected) * (counts[i] - expected) / expected;
    return sum;
}

TEST(spread)
{
    /* One of the arguments counts up, the others are constant. */
    for (int which = 0; which < 4; which++) {
        int low[BINS] = { 0 }, high[BINS] = { 0 }, below[BINS] = { 0 };
        double mean = 0.0, squares = 0.0, products = 0.0, before = 0.5;
        for (int i = 0; i < DRAWS; i++) {
            pen_gid gid = which == 0 ? i : 5;
            pen_view v = { .gids = &gid, .step = which == 1 ? i : 0, .seed = which == 2 ? (uint64_t)i : 1 };
            uint64_t stream = which == 3 ? (uint64_t)i : 0, word = pen_random(&v, stream);
            double real = pen_random_real(&v, stream);
            low[word % BINS]++;
            high[word >> 56]++;
            below[pen_random_below(&v, stream, 1000 * BINS) / 1000]++;
            mean += real / DRAWS;
            squares += (real - 0.5) * (real - 0.5) / DRAWS;
            products += (real - 0.5) * (before - 0.5) / DRAWS;
            before = real;
        }
        assert_true(fabs(mean - 0.5) < 4.0 / sqrt(12.0 * DRAWS));
        assert_true(fabs(squares - 1.0 / 12.0) < 4.0 / sqrt(180.0 * DRAWS));
        assert_true(fabs(products) < 4.0 / (12.0 * sqrt(DRAWS)));
        const int *all[] = { low, high, below };
        for (int k = 0; k < 3; k++) assert_true(fabs(chi_square(all[k]) - 255.0) < 4.0 * 22.6);
    }
}
