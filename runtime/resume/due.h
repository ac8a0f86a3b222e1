/* due.h - when checkpoints are wanted, as users say it. All Local. */
#ifndef PEN_DUE_H
#define PEN_DUE_H

#include "base/status.h"

/* Seconds before a time at which a run begins to write, besides what that and its steps take. */
#define PEN_CHECKPOINT_MARGIN 10.0

/* Of --checkpoint-every: "100", a whole number of steps >= 1, or "10m", a length of time > 0 that ends in its unit
 * (pen_read_seconds); NULL: 10 minutes. The other one is 0. PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_due_every(const char *text, int64_t *steps, double *seconds);

/* Of --checkpoint-before, seconds since 1970: "HH:MM" or "HH:MM:SS", the next time that this is, here;
 * "YYYY-MM-DDTHH:MM[:SS]", here; "@SECONDS" since 1970. PEN_ERR_INPUT: it is none of these, or past. */
PEN_CHECKED pen_status pen_due_before(const char *text, double *seconds);

/* Seconds since 1970. */
double pen_due_now(void);

#endif
