/* complain.h - makes error sentences, and reads files as a whole. */
#pragma once

#include <stddef.h>

/* Local. Read a file: *text becomes its `size` bytes, followed by '\0'; the caller frees it. Returns NULL, or a
 * sentence about an error, valid until the next call; then *text is NULL. */
const char *pen_load(const char *path, char **text, size_t *size);

/* Local. Make a sentence like printf, cut at 1023 characters, valid until the next call. It may be an argument of the
 * next call. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
const char *
pen_complain(const char *format, ...);
