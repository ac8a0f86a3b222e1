/* progress.h - the progress line: on a terminal only, on standard error, never in data. */
#ifndef PEN_PROGRESS_H
#define PEN_PROGRESS_H

#include "base/status.h"

typedef struct pen_progress {
    bool on;
    int64_t steps;
    double start, shown; /* seconds */
} pen_progress;

/* Local. `mode` is "auto", "on" or "off" (else PEN_ERR_INPUT). auto: where standard error is a terminal, also through
 * mpirun, which forwards it. Only the rank that reports calls the others. */
PEN_CHECKED pen_status pen_progress_start(const char *mode, bool reporter, int64_t steps, pen_progress *progress);

/* Local. Show that `done` steps are done; at most ten times a second. */
void pen_progress_show(pen_progress *progress, int64_t done);

/* Local. Erase the line. */
void pen_progress_end(pen_progress *progress);

#endif
