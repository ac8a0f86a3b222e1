/* resident.h - the resident memory of this process. */
#pragma once

#include <stdint.h>

/* Local. The bytes of this process that are in memory now; their maximum so far. They include pages of shared memory
 * that the process has touched. -1: the system does not report them. The source is /proc/self/status of Linux:
 * getrusage would return the maximum of the parent process if that was larger. */
int64_t pen_resident_now(void);
int64_t pen_resident_highest(void);
