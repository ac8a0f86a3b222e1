/* decimal_test.c - numbers of text are those of strtod, to the last bit, and end where its numbers end: written by
 * hand, at random with all numbers of digits and powers of ten, and halfway between doubles, where rounding is hard. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/decimal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void compare(const char *text)
{
    char *end;
    const char *found_end;
    double expected = strtod(text, &end), found = pen_decimal_read(text, &found_end);
    if (memcmp(&expected, &found, sizeof found) == 0 && found_end == end) return;
    print_message("%s: %a, %d bytes; strtod says %a, %d bytes\n", text, found, (int)(found_end - text), expected,
                  (int)(end - text));
    fail();
}

static uint64_t state = 88172645463325252u;

static uint64_t random_word(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * UINT64_C(0x2545f4914f6cdd1d);
}

static void by_hand(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "0",
        "-0",
        "0.0",
        "-0.000",
        "1",
        "-1",
        "+7",
        "1.",
        ".5",
        "-.5",
        ".",
        "-",
        "+",
        "",
        "e5",
        ".e5",
        "1e",
        "1e+",
        "1ex",
        "1e5",
        "1E-5",
        "1e+05",
        "5x",
        "5,3",
        "0x10",
        "0x1p3",
        "-0X2",
        "nan",
        "NaN",
        "-nan",
        "inf",
        "-Infinity",
        "infinit",
        " 5",
        "\t-5 ",
        "1..5",
        "1.5.2",
        "--5",
        "+-5",
        "1e400",
        "-1e400",
        "1e-400",
        "1e99999999999999999999",
        "0e9999999",
        "1e-99999999999999999999",
        "9007199254740992",
        "9007199254740993",
        "9007199254740993.0",
        "9007199254740995",
        "18446744073709551615",
        "18446744073709551616",
        "9999999999999999999",
        "10000000000000000000",
        "99999999999999999999",
        "0000000000000000000000000000001",
        "0.00000000000000000000000000000001",
        "1.00000000000000011102230246251565404",
        "1.0000000000000002220446049250313",
        "2.2250738585072012e-308",
        "4.9e-324",
        "2.4e-324",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "1e22",
        "1e23",
        "8.5e22",
        "123456789e-19",
        "1e19",
        "1e-19",
        "1e20",
        "1e-20",
        "9999999999999999999e19",
        "9999999999999999999e-19",
        "1234567890123456789e-38",
    };
    for (int i = 0; i < PEN_COUNT_OF(texts); i++) compare(texts[i]);
}

static void at_random(void **unused)
{
    (void)unused;
    char text[128];
    for (int i = 0; i < 400000; i++) {
        int digits = 1 + (int)(random_word() % 20), point = (int)(random_word() % 22);
        uint64_t word = random_word();
        for (int k = digits; k < 19; k++) word /= 10;
        int used = snprintf(text, sizeof text, "%s%llu", random_word() & 1 ? "-" : "", (unsigned long long)word);
        if (point < used) {
            memmove(text + point + 1, text + point, (size_t)(used - point) + 1);
            text[point] = '.';
            used++;
        }
        if (i % 2) snprintf(text + used, 16, "e%d", (int)(random_word() % 60) - 30);
        compare(text);
    }
}

/* Of so many digits one in some thousands is so little more than half that only what its division leaves tells. */
static void of_most_digits(void **unused)
{
    (void)unused;
    char text[64];
    for (int i = 0; i < 200000; i++) {
        snprintf(text, sizeof text, "0.%019llu", (unsigned long long)(random_word() % UINT64_C(10000000000000000000)));
        compare(text);
    }
}

/* As programs write doubles: the fewest digits and all of them, of all sizes. */
static void of_doubles(void **unused)
{
    (void)unused;
    static const char *const formats[] = { "%.17g", "%.15g", "%.6f", "%.16e", "%g" };
    char text[512];
    for (int i = 0; i < 200000; i++) {
        uint64_t word = random_word();
        double value;
        memcpy(&value, &word, sizeof value);
        if (i % 4) value = ((double)(int64_t)word) * ldexp(1.0, (int)(random_word() % 40) - 80);
        snprintf(text, sizeof text, formats[i % 5], value);
        compare(text);
    }
}

/* Exactly between two doubles, and next to that. */
static void halfway(void **unused)
{
    (void)unused;
    char text[64];
    for (int i = 0; i < 200000; i++) {
        uint64_t odd = (UINT64_C(1) << 53) + (random_word() >> 11) * 2 % (UINT64_C(1) << 53) + 1; /* 54 bits */
        int shift = (int)(random_word() % 10);
        snprintf(text, sizeof text, "%llu", (unsigned long long)((odd << shift) + (uint64_t)(i % 3) - 1));
        compare(text);
        unsigned fraction = (unsigned)(random_word() % 1000) * 2 + 1; /* of 2^-13 or so, 12 digits behind the point */
        snprintf(text, sizeof text, "%.12f", (double)(1 + (random_word() >> 12)) / 1024 + fraction / 8192.0);
        compare(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),    cmocka_unit_test(at_random), cmocka_unit_test(of_most_digits),
        cmocka_unit_test(of_doubles), cmocka_unit_test(halfway),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
