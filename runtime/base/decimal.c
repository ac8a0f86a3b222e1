#include "base/decimal.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_DIGITS = 19, MOST_POWER = 19, EXACT_POWER = 22, BITS = 53 };

/* A number as it is written: digits * 10^power. */
typedef struct decimal {
    uint64_t digits;
    int count; /* of the digits, from the first that is not 0 */
    int64_t power;
    bool negative;
} decimal;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* The digits at `at`; returns where they end. */
static const char *take_digits(const char *at, decimal *d)
{
    for (; is_digit(*at); at++) {
        d->digits = 10 * d->digits + (uint64_t)(*at - '0'); /* of too many it means nothing */
        d->count += d->count > 0 || *at != '0';
    }
    return at;
}

/* Behind the digits; NULL: strtod knows. */
static const char *take_power(const char *at, decimal *d)
{
    int64_t power = 0;
    if (*at != 'e' && *at != 'E') return at;
    bool down = at[1] == '-';
    const char *digits = at + 1 + (at[1] == '-' || at[1] == '+');
    if (!is_digit(*digits)) return NULL;
    for (at = digits; is_digit(*at); at++)
        if (power < 10000) power = 10 * power + (*at - '0');
    d->power += down ? -power : power;
    return at;
}

/* NULL: it is none of the ordinary ones. */
static const char *scan(const char *text, decimal *d)
{
    *d = (decimal){ .negative = *text == '-' };
    const char *begin = text + (*text == '-' || *text == '+'), *point = take_digits(begin, d), *at = point;
    if (*at == '.') {
        at = take_digits(point + 1, d);
        d->power = point + 1 - at;
    }
    if (at == begin || (at == point + 1 && point == begin) || *at == 'x' || *at == 'X') return NULL;
    at = take_power(at, d);
    return d->count <= MOST_DIGITS ? at : NULL;
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;

static int bits_of(wide word)
{
    uint64_t high = (uint64_t)(word >> 64);
    return high ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll((uint64_t)word);
}

/* word * 2^scale, not 0, rounded to the nearest; `more`: something below its last bit. */
static double round_to_even(wide word, int scale, bool more)
{
    int drop = bits_of(word) - BITS;
    uint64_t kept = (uint64_t)(word >> drop);
    wide rest = word & (((wide)1 << drop) - 1), half = (wide)1 << (drop - 1);
    if (rest > half || (rest == half && (more || kept & 1))) kept++;
    return ldexp((double)kept, drop + scale);
}

/* Up to 10^19. */
static uint64_t power_of_ten(int64_t n)
{
    static const uint32_t powers[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000 };
    if (n < 10) return powers[n];
    return n < 19 ? (uint64_t)powers[9] * powers[n - 9] : UINT64_C(10000000000) * powers[9];
}

static bool combine(const decimal *d, double *number)
{
    if (d->power < -MOST_POWER || d->power > MOST_POWER) return false;
    if (d->power >= 0) {
        *number = (double)((wide)d->digits * power_of_ten(d->power));
        return true;
    }
    const uint64_t power = power_of_ten(-d->power);
    int shift = 128 - bits_of(d->digits); /* the quotient has 64 bits or more */
    wide word = (wide)d->digits << shift, quotient = word / power;
    *number = round_to_even(quotient, -shift, quotient * power != word);
    return true;
}
#else
static bool combine(const decimal *d, double *number)
{
    (void)d;
    (void)number;
    return false;
}
#endif

static bool convert(const decimal *d, double *number)
{
    static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    bool exact = d->digits <= UINT64_C(1) << BITS && d->power >= -EXACT_POWER && d->power <= EXACT_POWER;
    if (d->digits == 0) *number = 0.0;
    else if (exact)
        *number = d->power < 0 ? (double)d->digits / powers[-d->power] : (double)d->digits * powers[d->power];
    else if (!combine(d, number)) return false;
    if (d->negative) *number = -*number;
    return true;
}

double pen_decimal_read(const char *text, const char **end)
{
    decimal d;
    double number;
    const char *at = scan(text, &d);
    if (at && convert(&d, &number)) {
        *end = at;
        return number;
    }
    char *behind;
    number = strtod(text, &behind);
    *end = behind;
    return number;
}
