/* utf8.h - decodes UTF-8 in texts that may come from files. */
#pragma once

#include <stdint.h>

/* Local. Decode the first character of `text`; *bytes becomes its length. -1, and length 1, if it is not UTF-8 (RFC
 * 3629). */
int32_t pen_utf8_decode(const char *text, int *bytes);

/* U+FFFD, the replacement character. */
#define PEN_UTF8_REPLACEMENT "\xEF\xBF\xBD"
