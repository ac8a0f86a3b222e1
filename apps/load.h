/* load.h - files that are read as a whole. */
#ifndef LOAD_H
#define LOAD_H

#include <stddef.h>

/* Local. *text: the `size` bytes of a file and '\0' behind them; the caller frees it. Returns NULL, or a sentence that
 * says what is wrong, which stays until the next call; *text is NULL then. */
const char *pen_load(const char *path, char **text, size_t *size);

#endif
