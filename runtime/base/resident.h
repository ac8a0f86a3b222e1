/* resident.h - how much memory this process has. */
#pragma once

#include <stdint.h>

/* Local. Bytes of this process that are in memory now, and the most that ever were; what it shares with others is
 * among them as far as it has touched it. -1: the system does not tell. Linux does, in /proc/self/status; getrusage
 * would tell of another program, where this one was started by a larger one. */
int64_t pen_resident_now(void);
int64_t pen_resident_highest(void);
