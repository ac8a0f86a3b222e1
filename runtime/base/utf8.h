/* utf8.h - characters of texts that may come from files. */
#pragma once

#include <stdint.h>

/* Local. The character that `text` begins with, and its bytes; -1, and one byte, where that is not UTF-8 (RFC 3629). */
int32_t pen_utf8_decode(const char *text, int *bytes);

/* U+FFFD, which takes the place of what cannot be written. */
#define PEN_UTF8_REPLACEMENT "\xEF\xBF\xBD"
