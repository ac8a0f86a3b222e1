/* ticker.h - shows the progress of long work in a line on standard error, if that is a terminal. Local. */
#pragma once

#include "base/memory.h"

/* Print "reading x.graph: 42 %, 7 s left", or megabytes if `all` is -1, from time to time after the work has taken a
 * second. Cheap enough for a call per few hundred kilobytes. */
void pen_ticker_bytes(const char *verb, const char *name, int64_t done, int64_t all);

/* Print "partitioning with metis" at once. */
void pen_ticker_step(const char *verb, const char *name);

/* Erase the line; call it before other output. */
void pen_ticker_end(void);
