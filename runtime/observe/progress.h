/* progress.h - how far a run is: messages for the program, or a line on standard error, never in data. */
#pragma once

#include "base/status.h"

typedef struct pen_progress {
    bool on;
    int64_t steps;       /* PEN_UNLIMITED: nobody knows how many */
    double start, shown; /* seconds */
    int width;           /* of what is shown */
} pen_progress;

/* Local. `mode` is "auto", "on" or "off" (else PEN_ERR_INPUT). auto: where standard error is a terminal, also through
 * mpirun, which forwards it. Only the rank that reports calls the others. */
PEN_CHECKED pen_status pen_progress_start(const char *mode, bool reporter, int64_t steps, pen_progress *progress);

/* Local. Whether it is time to show something: at most ten times a second. */
bool pen_progress_due(pen_progress *progress);

/* Local, when it is. Show that `done` steps are done, and a text behind. */
void pen_progress_show(pen_progress *progress, int64_t done, const char *text);

/* Local. Erase the line. */
void pen_progress_end(pen_progress *progress);
