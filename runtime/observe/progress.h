/* progress.h - how far a run is: messages for the program, or a line on standard error, never in data. */
#pragma once

#include "base/status.h"

typedef struct pen_progress_line {
    bool on;
    int64_t steps;       /* PEN_UNLIMITED: unknown */
    double start, shown; /* seconds */
    int width;           /* of what is shown */
} pen_progress_line;

/* Local. Automatic: if standard error is a terminal, also through mpirun, which forwards it. Only the rank that reports
 * calls the others. */
void pen_progress_start(pen_progress mode, bool reporter, int64_t steps, pen_progress_line *progress);

/* Local. Whether it is time to show something: at most ten times a second. */
bool pen_progress_due(pen_progress_line *progress);

/* Local, when it is due. Show that `done` steps are done, followed by a text. */
void pen_progress_show(pen_progress_line *progress, int64_t done, const char *text);

/* Local. Erase the line. */
void pen_progress_end(pen_progress_line *progress);
