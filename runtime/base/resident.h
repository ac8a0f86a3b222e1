/* resident.h - the resident memory of this process. */
#pragma once

#include <stdint.h>

/* Local. The bytes of this process that are in memory now, and their maximum so far. They include the pages of
 * shared memory that the process has touched. -1: the system does not tell. Linux tells in /proc/self/status.
 * getrusage would return the maximum of the parent process if that was larger. */
int64_t pen_resident_now(void);
int64_t pen_resident_highest(void);
