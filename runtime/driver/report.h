/* report.h - what is to be said about a run, its ranks' numbers, gathered; and the saying of it. */
#ifndef PEN_REPORT_H
#define PEN_REPORT_H

#include "run/state.h"

/* One rank's share. */
typedef struct pen_rank_report {
    int64_t rank, owned, boundary, shadows, neighbors;
    int64_t gets, bytes, syncs, far_gets, far_bytes;
    double init, loop;
    double seconds[PEN_TIME_CATEGORIES];
} pen_rank_report;

/* Work that was declared, in units. */
typedef struct pen_work_report {
    double total, makespan, ideal, efficiency;
} pen_work_report;

/* The whole run; equal on all ranks but for what is on rank 0 alone. */
typedef struct pen_report {
    pen_rank_report *ranks; /* [size] on rank 0, else NULL */
    double *loads;          /* [size*history.count] on rank 0, else NULL: rank by rank, in seconds or declared units */
    pen_rank_report most;   /* on rank 0, of times the maxima over ranks, of gets, bytes, syncs and far ones the sums */
    uint64_t checksum;
    bool has_checksum; /* the application prints */
    bool declared;     /* loads are, and so is work */
    pen_work_report work;
} pen_report;

/* Collective. PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_report_create(pen_run *run, pen_report *report);
void pen_report_free(pen_report *report);

/* Local, after a step, to a person. Its observables, a line; and above the first one their names. */
void pen_summary_observables(const pen_run *run, FILE *out);

/* Local, on rank 0, to a person: partition, balancing, times and checksum. */
void pen_summary_print(const pen_run *run, const pen_report *report, FILE *out);

/* Collective, to programs. Write the metrics ("penumbra-metrics/1"), as JSON. PEN_ERR_MEMORY, PEN_ERR_IO. */
PEN_CHECKED pen_status pen_metrics_write(pen_run *run, const pen_report *report, const char *path);

/* Collective, to programs. Write the observables' names, then a line a step, as CSV. PEN_ERR_MEMORY, PEN_ERR_IO. */
PEN_CHECKED pen_status pen_observables_write(pen_run *run, const char *path);

/* Collective, of a run that has a trace. Write it. Warns of missing events. PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_trace_write(const pen_run *run, const char *path);

#endif
