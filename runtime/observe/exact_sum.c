#include "observe/exact_sum.h"

#include <math.h>
#include <string.h>

enum { NANS = PEN_EXACT_DIGITS, PLUS_INFINITIES, MINUS_INFINITIES };

static const int64_t digit_mask = INT64_C(0xffffffff);

/* Every addition changes a digit by less than 2^32, and a normalised digit is less than 2^32. */
static const int64_t most_pending = INT64_C(1) << 30;

/* Add mantissa * 2^(exponent - 1075), where subnormals and the first binade share their unit, 2^-1074. */
static void add_integer(pen_exact_sum *sum, uint64_t mantissa, int exponent, bool negative)
{
    int unit = exponent > 0 ? exponent - 1 : 0, digit = unit / 32, shift = unit % 32;
    uint64_t low = mantissa << shift, high = mantissa >> 32 >> (32 - shift);
    int64_t sign = -(int64_t)negative; /* x ^ -1 is -x - 1; no branch, since signs cannot be foretold */
    sum->words[digit] += ((int64_t)(low & 0xffffffff) ^ sign) - sign;
    sum->words[digit + 1] += ((int64_t)(low >> 32) ^ sign) - sign;
    sum->words[digit + 2] += ((int64_t)high ^ sign) - sign;
    if (++sum->pending >= most_pending) pen_exact_normalize(sum);
}

void pen_exact_add(pen_exact_sum *sum, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff);
    uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
    bool negative = bits >> 63;
    if (exponent == 0x7ff) {
        int infinities = negative ? MINUS_INFINITIES : PLUS_INFINITIES;
        sum->words[mantissa ? NANS : infinities]++;
        return;
    }
    if (exponent > 0) mantissa |= UINT64_C(1) << 52;
    if (mantissa) add_integer(sum, mantissa, exponent, negative);
}

void pen_exact_normalize(pen_exact_sum *sum)
{
    int64_t carry = 0;
    for (int i = 0; i < PEN_EXACT_DIGITS - 1; i++) {
        int64_t word = sum->words[i] + carry;
        int64_t digit = word & digit_mask;
        carry = (word - digit) / (digit_mask + 1);
        sum->words[i] = digit;
    }
    sum->words[PEN_EXACT_DIGITS - 1] += carry; /* keeps the sign */
    sum->pending = 1;
}

double pen_exact_value(pen_exact_sum *sum)
{
    if (sum->words[NANS] || (sum->words[PLUS_INFINITIES] && sum->words[MINUS_INFINITIES])) return NAN;
    if (sum->words[PLUS_INFINITIES]) return INFINITY;
    if (sum->words[MINUS_INFINITIES]) return -INFINITY;
    pen_exact_normalize(sum);
    pen_exact_sum magnitude = *sum;
    bool negative = sum->words[PEN_EXACT_DIGITS - 1] < 0;
    if (negative) {
        for (int i = 0; i < PEN_EXACT_DIGITS; i++) magnitude.words[i] = -magnitude.words[i];
        pen_exact_normalize(&magnitude);
    }
    int top = PEN_EXACT_DIGITS - 1;
    while (top > 0 && magnitude.words[top] == 0) top--;
    if (top < 2) {
        uint64_t small = (uint64_t)magnitude.words[1] << 32 | (uint64_t)magnitude.words[0];
        if (small < UINT64_C(1) << 53) return ldexp((double)(negative ? -(int64_t)small : (int64_t)small), -1074);
    }
    /* The leading 64 bits, the lowest of which also stands for everything below: then the conversion
     * to double rounds as the whole number would. */
    int shift = 0; /* leading zeros of the top digit */
    while (!(magnitude.words[top] >> (31 - shift) & 1)) shift++;
    uint64_t digits[3] = { 0 };
    for (int i = 0; i < 3 && top - i >= 0; i++) digits[i] = (uint64_t)magnitude.words[top - i];
    uint64_t lead = (digits[0] << 32 | digits[1]) << shift;
    if (shift) lead |= digits[2] >> (32 - shift);
    bool rest = (digits[2] << shift & 0xffffffff) != 0;
    for (int i = top - 3; i >= 0 && !rest; i--) rest = magnitude.words[i] != 0;
    double value = ldexp((double)(lead | rest), 32 * (top - 1) - shift - 1074);
    return negative ? -value : value;
}

/* ---- Many terms ------------------------------------------------------------------------------- */

/* So many mantissas, of 53 bits each, add up to less than 2^64 in a lane. */
enum { MOST = PEN_EXACT_LANES << 11 };

static void flush_exponent(pen_exact_table *table, int exponent)
{
    uint64_t *lanes = table->mantissas[exponent];
    for (int i = 0; i < PEN_EXACT_LANES; i++) add_integer(&table->sum, lanes[i], exponent & 0x7ff, exponent >> 11);
    memset(lanes, 0, sizeof table->mantissas[exponent]);
}

void pen_exact_flush(pen_exact_table *table)
{
    static const bool unused[8];
    if (table->room == MOST) return;
    for (int first = 0; first < PEN_EXACT_EXPONENTS; first += 8) {
        bool *used = table->used + first;
        if (memcmp(used, unused, sizeof unused) == 0) continue;
        for (int i = 0; i < 8; i++)
            if (used[i]) flush_exponent(table, first + i);
        memset(used, 0, sizeof unused);
    }
    table->room = MOST;
}

void pen_exact_clear(pen_exact_table *table)
{
    pen_exact_flush(table);
    memset(&table->sum, 0, sizeof table->sum);
}

uint32_t pen_exact_put_rare(pen_exact_table *table, uint32_t room, double value)
{
    if (isnormal(value)) {
        table->room = 0; /* so far it was in the caller's variable */
        pen_exact_flush(table);
        room = MOST;
        pen_exact_put(table, &room, value);
    } else {
        pen_exact_add(&table->sum, value);
    }
    return room;
}

void pen_exact_collect_all(pen_exact_table *table, int64_t count, const double *values)
{
    uint32_t room = table->room;
    for (int64_t i = 0; i < count; i++) pen_exact_put(table, &room, values[i]);
    table->room = room;
}
