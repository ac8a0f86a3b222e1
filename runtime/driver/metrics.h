/* metrics.h - what a run reports about itself: JSON for programs, a table for people. */
#ifndef PEN_METRICS_H
#define PEN_METRICS_H

#include "run/run.h"

/* One rank's share. */
typedef struct pen_rank_report {
    int64_t rank, owned, boundary, shadows, neighbors;
    int64_t gets, bytes, syncs, far_gets, far_bytes;
    double init, loop;
    double seconds[PEN_TIME_CATEGORIES];
} pen_rank_report;

/* The whole run; equal on all ranks but for `ranks`. */
typedef struct pen_report {
    pen_rank_report *ranks; /* [size] on rank 0, else NULL */
    double *loads;          /* [size*history.count] on rank 0, else NULL: rank by rank, in seconds or declared units */
    pen_rank_report most;   /* maxima over ranks; of gets, bytes, syncs and far ones the sums */
    uint64_t checksum;
    bool has_checksum; /* the application prints */
} pen_report;

/* Collective. */
PEN_CHECKED pen_status pen_report_create(pen_run *run, pen_report *report);
void pen_report_free(pen_report *report);

/* Local, on rank 0: partition, times and checksum, for a person. */
void pen_report_print(const pen_run *run, const pen_report *report, FILE *out);

/* Collective. Write the metrics ("penumbra-metrics/1"); beside it, renamed when complete. */
PEN_CHECKED pen_status pen_report_write(pen_run *run, const pen_report *report, const char *path);

/* Collective. Write the observables of all steps as CSV: their names, then a line a step. */
PEN_CHECKED pen_status pen_report_observables(pen_run *run, const char *path);

#endif
