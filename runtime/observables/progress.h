/* progress.h - the progress of a run: messages for the program, or a line on standard error. */
#pragma once

#include "base/status.h"

/* A text that a terminal cuts at its width, however wide it is at the moment. */
#define PEN_CUT(text) "\033[?7l" text "\033[?7h"

typedef struct pen_progress_line {
    bool on;
    bool terminal;       /* it is shown on a terminal */
    int64_t steps;       /* number of steps of the run; PEN_UNLIMITED: unknown */
    int64_t first;       /* number of steps done at the start: those of a resumed run's checkpoint */
    double start, shown; /* times in seconds when the run began and when the line was last shown */
    int width;           /* length of the shown text */
} pen_progress_line;

/* Local. Start. PEN_PROGRESS_AUTO shows progress if standard error is a terminal, also through mpirun, which forwards
 * it. The other functions are called only on the reporting rank. */
void pen_progress_start(pen_progress mode, bool reporter, int64_t steps, pen_progress_line *progress);

/* Local. Whether to show something now: at most ten times a second. */
bool pen_progress_due(pen_progress_line *progress);

/* Local, if pen_progress_due. Show the number of finished steps, followed by a text. */
void pen_progress_show(pen_progress_line *progress, int64_t done, const char *text);

/* Local. Erase the line. */
void pen_progress_end(pen_progress_line *progress);
