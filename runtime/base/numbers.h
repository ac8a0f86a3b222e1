/* numbers.h - reads and writes numbers as in the C locale, in programs with any locale; and reads durations. */
#pragma once

#include "base/status.h"

#include <locale.h>

/* Local. Set the C locale in this thread and return the earlier locale; restore the earlier locale. */
locale_t pen_locale_enter(void);
void pen_locale_leave(locale_t *before);

/* Placed at the beginning of a public function that reads or writes numbers: until it returns, the thread has the C
 * locale. */
#define PEN_C_LOCALE __attribute__((unused, cleanup(pen_locale_leave))) locale_t locale_before_ = pen_locale_enter()

/* Local. Parse a text that is one number: a decimal integer that fits 64 bits, or a finite real that does not become 0
 * because it is too small. False: the text is no such number, and *value is unchanged. */
bool pen_parse_int(const char *text, int64_t *value);
bool pen_parse_real(const char *text, double *value);

/* Local. Whether the text begins with a number other than 0 that strtod would make 0. */
bool pen_is_too_small(const char *text);

/* Local. Print the shortest text of 15 to 17 digits that reads back as the same number, in the C locale. The result of
 * PEN_REAL_TEXT is valid until the end of the block around it. */
enum { PEN_REAL_TEXT_SIZE = 32 };
const char *pen_real_text(double value, char text[PEN_REAL_TEXT_SIZE]);
#define PEN_REAL_TEXT(value) pen_real_text(value, (char[PEN_REAL_TEXT_SIZE]){ 0 })

/* Local. Parse a duration: a number > 0, followed by s (or nothing), m or h for seconds, minutes or hours: "90",
 * "30s", "1.5h". PEN_ERR_INPUT, with a sentence that begins with `option` ("--watchdog") and `text`. */
PEN_CHECKED pen_status pen_read_seconds(const char *option, const char *text, double *seconds);
