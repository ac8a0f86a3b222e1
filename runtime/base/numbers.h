/* numbers.h - numbers are read and written as in the C locale, whatever locale the program has; and lengths of time. */
#pragma once

#include "base/status.h"

#include <locale.h>

/* Local. Give this thread the C locale; what it had before. And give that back. */
locale_t pen_locale_enter(void);
void pen_locale_leave(locale_t *before);

/* At the beginning of a function of the interface that reads or writes numbers: the C locale until it returns. */
#define PEN_C_LOCALE __attribute__((unused, cleanup(pen_locale_leave))) locale_t locale_before_ = pen_locale_enter()

/* Local. The whole text is one number (an integer is decimal and fits 64 bits; a real is finite);
 * else false, and *value untouched. */
bool pen_parse_int(const char *text, int64_t *value);
bool pen_parse_real(const char *text, double *value);

/* Local. How long `text` says, in seconds: a number > 0, and behind it s, m or h for seconds (which it means by
 * itself), minutes or hours: "90", "30s", "1.5h". PEN_ERR_INPUT, with a sentence that begins with `option`
 * ("--watchdog") and `text`. */
PEN_CHECKED pen_status pen_read_seconds(const char *option, const char *text, double *seconds);
