/* due.h - parses the times at which users want checkpoints. All Local. */
#ifndef PEN_DUE_H
#define PEN_DUE_H

#include "base/status.h"

/* Seconds before a given time at which a run starts to write, in addition to the duration of a write and of a step. */
#define PEN_CHECKPOINT_MARGIN 10.0

/* --checkpoint-every: "100", a whole number of steps >= 1, or "10m", a duration > 0 that ends in its unit
 * (pen_read_seconds). NULL: 10 minutes. The output that is not given becomes 0. PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_due_every(const char *text, int64_t *steps, double *seconds);

/* --checkpoint-before, in seconds since 1970: "HH:MM" or "HH:MM:SS", the next such local time;
 * "YYYY-MM-DDTHH:MM[:SS]", local time; "@SECONDS" since 1970. PEN_ERR_INPUT: the text has none of these forms, or
 * the time is past. */
PEN_CHECKED pen_status pen_due_before(const char *text, double *seconds);

/* Seconds since 1970. */
double pen_due_now(void);

#endif
