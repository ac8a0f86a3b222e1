/* exact_sum.h - sums of doubles that do not depend on the order of the terms.
 *
 * A long accumulator (U. Kulisch) is a fixed-point number wide enough for every double. Its 32-bit digits are stored in
 * 64-bit integers: adding a double takes a few integer additions, and accumulators of ranks are added by an integer
 * MPI_SUM. The only rounding, to nearest even, is at the end.
 *
 * Many terms are first added to two integers, whose units depend on the largest term. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Bit 0 of digit 0 is 2^-1074; the largest double ends at bit 2097; the bits above are room for carries. The words
 * after the digits count the added NaNs, +infinities and -infinities. */
enum { PEN_EXACT_DIGITS = 68, PEN_EXACT_WORDS = PEN_EXACT_DIGITS + 3 };

typedef struct pen_exact_sum {
    int64_t words[PEN_EXACT_WORDS];
    int64_t pending; /* number of additions since the carries were last propagated */
    int top;         /* exponent of a constant that splits terms; 0: unknown. It is not part of the sum. */
} pen_exact_sum;

/* Local. Set to the sum of no terms. */
static inline void pen_exact_clear(pen_exact_sum *sum)
{
    memset(sum->words, 0, sizeof sum->words);
    sum->pending = 0;
}

/* Local. Add a term. An all-zero structure is the sum of no terms. */
void pen_exact_add(pen_exact_sum *sum, double value);

/* Local. Propagate carries, after which words of up to 2^30 accumulators may be added one by one. */
void pen_exact_normalize(pen_exact_sum *sum);

/* Local. The sum, rounded to nearest even; +0 without terms. Infinite if it exceeds the range of a double; NaN if a NaN
 * or infinities of both signs were added. Changes the representation only. */
double pen_exact_value(pen_exact_sum *sum);

/* Local. Add terms [count] like pen_exact_add; this is many times as fast if consecutive terms differ by less than 48
 * binades. */
void pen_exact_add_all(pen_exact_sum *sum, int64_t count, const double *terms);
