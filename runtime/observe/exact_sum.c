/* exact_sum.c - exact sums of doubles. */
#include "observe/exact_sum.h"
#include "base/bytes.h"

#include <math.h>

enum { NANS = PEN_EXACT_DIGITS, PLUS_INFINITIES, MINUS_INFINITIES };

static const int64_t digit_mask = INT64_C(0xffffffff);

/* The number of additions without normalising that cannot overflow: every addition changes a digit by less than 2^32,
 * and a normalised digit is less than 2^32. */
static const int64_t most_pending = INT64_C(1) << 30;

/* Add mantissa * 2^(exponent - 1075); subnormals and the first binade share the unit 2^-1074. */
static void add_integer(pen_exact_sum *sum, uint64_t mantissa, int exponent, bool negative)
{
    int unit = exponent > 0 ? exponent - 1 : 0, digit = unit / 32, shift = unit % 32;
    uint64_t low = mantissa << shift, high = mantissa >> 32 >> (32 - shift);
    int64_t sign = -(int64_t)negative; /* x ^ -1 is -x - 1; without a branch, since signs are unpredictable */
    sum->words[digit] += ((int64_t)(low & 0xffffffff) ^ sign) - sign;
    sum->words[digit + 1] += ((int64_t)(low >> 32) ^ sign) - sign;
    sum->words[digit + 2] += ((int64_t)high ^ sign) - sign;
    if (++sum->pending >= most_pending) pen_exact_normalize(sum);
}

void pen_exact_add(pen_exact_sum *sum, double value)
{
    uint64_t bits = pen_real_bits(value);
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
    sum->words[PEN_EXACT_DIGITS - 1] += carry; /* the top digit keeps the sign */
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
    /* Take the leading 64 bits. The lowest one is also set if any lower bit of the number is, so that the conversion to
     * double rounds like the whole number. */
    int shift = 0; /* number of leading zeros of the top digit */
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

/* ---- Many terms at once ----------------------------------------------------------------------- */

/* Two constants split a term x exactly into two integers of different units, and sums of integers are exact (S. M.
 * Rump, T. Ogita, S. Oishi, "Accurate floating-point summation", 2008, do this with doubles alone). With s = 1.5 * 2^e
 * and |x| < 2^(e-1), x + s is between 2^e and 2^(e+1). Its bits are those of s plus the multiple of 2^(e-52) that is
 * next to x. The remainder of x is exact. A second constant, 51 binades below, splits it in the same way; the remainder
 * of that must be 0. */
enum { LANES = 8, MOST = 512, UNITS = 51, LEAST_TOP = 52 };

typedef struct cut {
    uint64_t high, low; /* sums of the integers of the two units, modulo 2^64 */
    bool exact;         /* all terms are small enough, and no remainder is left */
} cut;

/* 1.5 * 2^(exponent - 1023) */
static double power(int exponent) { return pen_real_of((uint64_t)exponent << 52 | UINT64_C(1) << 51); }

/* Define a function that splits `count` terms, a multiple of LANES, in vectors of so many bytes. Vectors have the size
 * of a register, since larger ones are kept in memory. */
#define CUT_TERMS(name, bytes, attribute)                                                                            \
    attribute static cut name(int top, int count, const double *terms)                                               \
    {                                                                                                                \
        typedef double doubles __attribute__((vector_size(bytes)));                                                  \
        typedef uint64_t words __attribute__((vector_size(bytes)));                                                  \
        enum { WIDTH = (bytes) / 8 };                                                                                \
        const doubles zero = { 0.0 }, first = zero + power(top), second = zero + power(top - UNITS);                 \
        words high = { 0 }, low = { 0 }, changed = { 0 }, left = { 0 };                                              \
        for (int i = 0; i < count; i += WIDTH) {                                                                     \
            doubles x;                                                                                               \
            memcpy(&x, terms + i, sizeof x);                                                                         \
            doubles sum = x + first, rest = x - (sum - first), rest_sum = rest + second;                             \
            high += (words)sum;                                                                                      \
            low += (words)rest_sum;                                                                                  \
            changed |= (words)sum ^ (words)first;                                                                    \
            left |= (words)(rest - (rest_sum - second));                                                             \
        }                                                                                                            \
        cut all = { -(uint64_t)count * pen_real_bits(first[0]), -(uint64_t)count * pen_real_bits(second[0]), true }; \
        for (int i = 0; i < WIDTH; i++) {                                                                            \
            all.high += high[i];                                                                                     \
            all.low += low[i];                                                                                       \
            all.exact = all.exact && changed[i] >> 52 == 0 && left[i] << 1 == 0;                                     \
        }                                                                                                            \
        return all;                                                                                                  \
    }

CUT_TERMS(cut_terms_16, 16, )
#if defined(__x86_64__)
CUT_TERMS(cut_terms_32, 32, __attribute__((target("avx2"))))
CUT_TERMS(cut_terms_64, 64, __attribute__((target("avx512f"))))
#endif

static cut cut_terms(int top, int count, const double *terms)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return cut_terms_64(top, count, terms);
    if (__builtin_cpu_supports("avx2")) return cut_terms_32(top, count, terms);
#endif
    return cut_terms_16(top, count, terms);
}

static void add_signed(pen_exact_sum *sum, uint64_t word, int exponent)
{
    bool negative = word >> 63;
    add_integer(sum, negative ? -word : word, exponent, negative);
}

/* Add `count` terms, a multiple of LANES, with the known constant; false if that is impossible. */
static bool add_cut(pen_exact_sum *sum, int count, const double *terms)
{
    if (sum->top == 0) return false;
    const cut all = cut_terms(sum->top, count, terms);
    if (!all.exact) return false;
    add_signed(sum, all.high, sum->top);
    add_signed(sum, all.low, sum->top - UNITS);
    return true;
}

/* The exponent of the first constant for these terms, with room for one more binade; 0: no constant fits. */
static int top_of(int count, const double *terms)
{
    uint64_t largest = 0;
    for (int i = 0; i < count; i++) {
        uint64_t magnitude = pen_real_bits(terms[i]) << 1;
        if (magnitude > largest) largest = magnitude;
    }
    int top = (int)(largest >> 53) + 3;
    if (top > 2046) return 0;
    return top > LEAST_TOP ? top : LEAST_TOP;
}

/* Add `count` terms with a constant made for them; false if that is impossible. */
static bool add_block(pen_exact_sum *sum, int count, const double *terms)
{
    sum->top = top_of(count, terms);
    return add_cut(sum, count, terms);
}

/* Add `count` terms, with the constant of the previous terms if possible. If the terms have too many binades, shorter
 * runs of them may have fewer. */
static void add_any(pen_exact_sum *sum, int count, const double *terms)
{
    enum { FEW = 16 };
    if (add_cut(sum, count, terms) || add_block(sum, count, terms)) return;
    for (int first = 0; first < count; first += FEW) {
        int end = count - first < FEW ? count : first + FEW;
        if (add_block(sum, end - first, terms + first)) continue;
        for (int i = first; i < end; i++) pen_exact_add(sum, terms[i]);
    }
}

void pen_exact_add_all(pen_exact_sum *sum, int64_t count, const double *terms)
{
    int alone = (int)(count % LANES);
    for (int i = 0; i < alone; i++) pen_exact_add(sum, terms[i]);
    for (int64_t i = alone; i < count; i += MOST) add_any(sum, count - i < MOST ? (int)(count - i) : MOST, terms + i);
}
