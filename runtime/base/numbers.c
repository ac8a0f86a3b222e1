/* numbers.c - reads and writes numbers as in the C locale. */
#include "base/numbers.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

static locale_t plain; /* the C locale, which is never freed, since threads may use it */

static void make_plain(void) { plain = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

locale_t pen_locale_enter(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, make_plain);
    return uselocale(plain); /* if memory for the C locale was lacking (0), the locale does not change */
}

void pen_locale_leave(locale_t *before) { (void)uselocale(*before); }

bool pen_parse_int(const char *text, int64_t *value)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || isspace((unsigned char)text[0])) return false;
    *value = number;
    return true;
}

bool pen_parse_real(const char *text, double *value)
{
    char *end;
    double number = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(number) || isspace((unsigned char)text[0])) return false;
    if (pen_is_too_small(text)) return false;
    *value = number;
    return true;
}

bool pen_is_too_small(const char *text)
{
    errno = 0;
    return strtod(text, NULL) == 0.0 && errno == ERANGE;
}

const char *pen_real_text(double value, char text[PEN_REAL_TEXT_SIZE])
{
    int digits = 15;
    do snprintf(text, PEN_REAL_TEXT_SIZE, "%.*g", digits, value);
    while (strtod(text, NULL) != value && ++digits <= 17);
    return text;
}

pen_status pen_read_seconds(const char *option, const char *text, double *seconds)
{
    PEN_C_LOCALE;
    static const char letters[] = "smh";
    static const double units[] = { 1.0, 60.0, 3600.0 };
    size_t length = strlen(text);
    char number[32];
    const char *letter = length > 0 ? strchr(letters, text[length - 1]) : NULL;
    double unit = letter ? units[letter - letters] : 1.0, value;
    if (letter) length--;
    bool fits = length < sizeof number;
    if (fits) snprintf(number, sizeof number, "%.*s", (int)length, text);
    if (!fits || !pen_parse_real(number, &value) || value <= 0.0 || !isfinite(value * unit))
        return pen_fail(PEN_ERR_INPUT, "%s=%s: not a length of time > 0, like 90, 30s, 10m, 1.5h", option, text);
    *seconds = value * unit;
    return PEN_OK;
}
