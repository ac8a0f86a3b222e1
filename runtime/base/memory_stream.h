/* memory_stream.h - a stream that is written to memory, and says so where there is too little of it. */
#pragma once

#include "base/status.h"

/* Local. As open_memstream, but for this: where there has been no memory for what was written, fclose fails. That of
 * the GNU C library drops it and says nothing. Once the stream is flushed or closed, *text are *size bytes and a '\0'
 * behind them, which the caller frees, also after a failure. NULL: out of memory, and so is *text. */
FILE *pen_memory_stream(char **text, size_t *size);
