/* exact_sum.h - sums of doubles that do not depend on the order of the terms.
 *
 * A long accumulator (U. Kulisch): a fixed-point number wide enough for every double, in 32-bit digits
 * held in 64-bit integers, so that adding is a few integer additions and adding accumulators of
 * different ranks is an integer MPI_SUM. The one rounding, to nearest even, is at the end.
 *
 * In front of it, for many terms, a table with an entry for every sign and exponent, to which a term's mantissa is
 * added (R. M. Neal, "Fast exact summation using small and large superaccumulators", 2015). */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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

/* ---- Many terms ------------------------------------------------------------------------------- */

enum { PEN_EXACT_EXPONENTS = 1 << 12, PEN_EXACT_LANES = 4 }; /* an exponent with the sign in front of it */

/* A sum, and terms that are on their way to it. An all-zero structure is the sum of nothing. */
typedef struct pen_exact_table {
    /* Mantissas, added up. Consecutive terms, which are often of one exponent, take turns in the lanes: an addition to
     * what was stored just before would wait for it. */
    uint64_t mantissas[PEN_EXACT_EXPONENTS][PEN_EXACT_LANES];
    bool used[PEN_EXACT_EXPONENTS];
    uint32_t room; /* how many more terms there may be, or 0 */
    pen_exact_sum sum;
} pen_exact_table;

/* Local. Move all terms to the sum. */
void pen_exact_flush(pen_exact_table *table);

/* Local. Forget all terms. */
void pen_exact_clear(pen_exact_table *table);

/* Local. pen_exact_put of a term for which there is no room, or that is 0, subnormal, infinite or NaN. Returns the room
 * that is left. */
uint32_t pen_exact_put_rare(pen_exact_table *table, uint32_t room, double value);

/* Local. As pen_exact_collect, with table->room in *room. */
static inline void pen_exact_put(pen_exact_table *table, uint32_t *room, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t exponent = bits >> 52, hidden_bit = UINT64_C(1) << 52;
    if (*room == 0 || ((exponent + 1) & 0x7fe) == 0) {
        *room = pen_exact_put_rare(table, *room, value);
        return;
    }
    table->used[exponent] = true;
    table->mantissas[exponent][--*room % PEN_EXACT_LANES] += (bits & (hidden_bit - 1)) | hidden_bit;
}

/* Local. As pen_exact_add, in a fraction of its time; table->sum is what it is after pen_exact_flush. */
static inline void pen_exact_collect(pen_exact_table *table, double value)
{
    pen_exact_put(table, &table->room, value);
}

/* Local. The same for many, [count]. */
void pen_exact_collect_all(pen_exact_table *table, int64_t count, const double *values);
