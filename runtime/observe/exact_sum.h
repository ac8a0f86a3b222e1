/* exact_sum.h - sums of doubles that do not depend on the order of the terms.
 *
 * A long accumulator (U. Kulisch): a fixed-point number wide enough for every double, in 32-bit digits
 * held in 64-bit integers, so that adding is a few integer additions and adding accumulators of
 * different ranks is an integer MPI_SUM. The one rounding, to nearest even, is at the end. */
#ifndef PEN_EXACT_SUM_H
#define PEN_EXACT_SUM_H

#include <stdint.h>

/* Bit 0 of digit 0 is 2^-1074; the largest double ends at bit 2097; the rest is room for carries.
 * Behind the digits: how many NaNs, +infinities and -infinities were added. */
enum { PEN_EXACT_DIGITS = 68, PEN_EXACT_WORDS = PEN_EXACT_DIGITS + 3 };

typedef struct pen_exact_sum {
    int64_t words[PEN_EXACT_WORDS];
    int64_t pending; /* additions since the carries were last propagated */
} pen_exact_sum;

/* Local. An all-zero structure is the sum of nothing. */
void pen_exact_add(pen_exact_sum *sum, double value);

/* Local. Propagate carries, after which words of up to 2^30 accumulators may be added one by one. */
void pen_exact_normalize(pen_exact_sum *sum);

/* Local. The sum, rounded to nearest even; of nothing: +0. Infinite where it exceeds the range of a
 * double; NaN where a NaN or infinities of both signs were added. Changes the representation only. */
double pen_exact_value(pen_exact_sum *sum);

#endif
