/* ticker.h - a line about long work, on standard error where that is a terminal. Local. */
#pragma once

#include "base/memory.h"

/* "reading x.graph: 42 %, 7 s left", or megabytes where `all` is not known (-1), now and then in work that has taken a
 * second. Cheap enough for every few hundred kilobytes. */
void pen_ticker_bytes(const char *verb, const char *name, int64_t done, int64_t all);

/* "partitioning with metis", at once. */
void pen_ticker_step(const char *verb, const char *name);

/* The line vanishes; before anything else is printed. */
void pen_ticker_end(void);
