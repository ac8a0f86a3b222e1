/* series.h - the .pvd file that names the .vtu files of a run, with their steps. Rank 0 knows what is in it.
 *
 * Where states follow each other fast, what takes the time is to wait for the disk. So it is written anew once a second
 * at most, and before that the files that it names are on the disk. */
#pragma once

#include "base/comm.h"

typedef struct pen_drawn {
    int64_t step;
    char *line; /* what the file has of it */
    char *file; /* its path, until its bytes are on the disk; else NULL */
} pen_drawn;

typedef struct pen_drawn_series {
    char *path;
    pen_drawn *drawn; /* [count] ascending by step; of ranks other than 0 none */
    int64_t count, room;
    double written; /* when, in seconds */
    bool behind;    /* the file lacks something */
} pen_drawn_series;

/* Local. A series in the file `path`: empty, or, where a run goes on, with what that file has up to the step that it
 * goes on from; until: -1: it begins. *series is the caller's to free, also after a failure. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_drawn_series_open(const pen_comm *comm, const char *path, int64_t until,
                                             pen_drawn_series *series);
void pen_drawn_series_free(pen_drawn_series *series);

/* Local, rank 0. That step is in `file`, beside it: the series is written anew, unless it was within the last second.
 * now: seconds. PEN_ERR_IO, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_drawn_series_add(pen_drawn_series *series, int64_t step, const char *file, double now);

/* Local; on ranks other than 0 there is nothing to do. Write it, if it lacks something. PEN_ERR_IO, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_drawn_series_settle(pen_drawn_series *series);
