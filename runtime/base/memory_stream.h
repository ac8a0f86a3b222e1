/* memory_stream.h - a stream that writes to memory, and reports when memory is exhausted. */
#pragma once

#include "base/status.h"

/* Local. Like open_memstream, with one difference: if memory was exhausted during a write, fclose fails. The GNU C
 * library loses such text silently. After the stream is flushed or closed, *text has *size bytes and a '\0'. The
 * caller frees *text, also after a failure. The function returns NULL, and *text is NULL, if memory is exhausted. */
FILE *pen_memory_stream(char **text, size_t *size);
