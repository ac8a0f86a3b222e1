/* complain.h - sentences that say what is wrong, and files that are read as a whole. */
#pragma once

#include <stddef.h>

/* Local. *text: the `size` bytes of a file and '\0' behind them; the caller frees it. Returns NULL, or a sentence that
 * says what is wrong, which stays until the next call; *text is NULL then. */
const char *pen_load(const char *path, char **text, size_t *size);

/* Local. A sentence, put together as by printf and cut at 1023 characters, which stays until the next call; it may be
 * among the arguments of that. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
const char *
pen_complain(const char *format, ...);
