#include "observe/exact_sum.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { NANS = PEN_EXACT_DIGITS, PLUS_INFINITIES, MINUS_INFINITIES };

static const int64_t digit_mask = INT64_C(0xffffffff);

/* Every addition changes a digit by less than 2^32, and a normalised digit is less than 2^32. */
static const int64_t most_pending = INT64_C(1) << 30;

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
    if (exponent > 0) {
        mantissa |= UINT64_C(1) << 52;
        exponent--; /* subnormals and the first binade share their unit, 2^-1074 */
    }
    int digit = exponent / 32, shift = exponent % 32;
    uint64_t low = mantissa << shift, high = shift ? mantissa >> (64 - shift) : 0;
    int64_t parts[3] = { (int64_t)(low & 0xffffffff), (int64_t)(low >> 32), (int64_t)high };
    for (int i = 0; i < 3; i++) sum->words[digit + i] += negative ? -parts[i] : parts[i];
    if (++sum->pending >= most_pending) pen_exact_normalize(sum);
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
