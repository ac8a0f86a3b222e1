/* series.h - the .pvd file of a run: a list of its .vtu files and their steps. Rank 0 keeps its contents.
 *
 * If a run writes many states, waiting for the disk takes most of the time. So the series is rewritten at most once
 * a second. The .vtu files that it lists are synced to the disk before. */
#pragma once

#include "base/comm.h"

typedef struct pen_drawn {
    int64_t step;
    char *line; /* the state's line in the file */
    char *file; /* the state's path until it is synced to the disk, then NULL */
} pen_drawn;

typedef struct pen_drawn_series {
    char *path;
    pen_drawn *drawn; /* [count] written states, ascending by step; empty on ranks other than 0 */
    int64_t count, room;
    double written; /* time in seconds when the file was last written */
    bool behind;    /* the file lacks a state */
} pen_drawn_series;

/* Local. Open the series in the file `path`. until: the step from which a resumed run continues; the series keeps the
 * file's entries up to that step. -1: the run begins, and the series is empty. The caller frees *series, also after a
 * failure. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_drawn_series_open(const pen_comm *comm, const char *path, int64_t until,
                                             pen_drawn_series *series);
void pen_drawn_series_free(pen_drawn_series *series);

/* Local, rank 0. Add the state after `step` steps, at the given time, in `file` of the same folder. The series is
 * rewritten unless it was written within the last second. now: present time in seconds. PEN_ERR_IO, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_drawn_series_add(pen_drawn_series *series, int64_t step, double time, const char *file,
                                            double now);

/* Local; only rank 0 does anything. Rewrite the file if it lacks a step. PEN_ERR_IO, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_drawn_series_settle(pen_drawn_series *series);
