/* report.h - the gathered numbers of a run and its ranks, and their printing. */
#pragma once

#include "run/state.h"

enum { PEN_HOST_NAME = 64 };

/* The provenance of the numbers: the data that a reader of the metrics needs to reproduce them. */
typedef struct pen_provenance {
    int ranks;
    char (*hosts)[PEN_HOST_NAME]; /* [ranks] on rank 0, else NULL: name of each rank's host, cut off if longer */
} pen_provenance;

/* Local, on rank 0. Print members of a JSON object: versions, date, hosts, the process's command line, the graph, the
 * application's options with their values. */
void pen_provenance_print(const pen_provenance *provenance, const pen_run *run, FILE *out);

/* The numbers of one rank. */
typedef struct pen_rank_report {
    int64_t rank, owned, boundary, shadows, neighbors;
    int64_t gets, bytes, syncs, far_gets, far_bytes;
    double total, init, loop, changes;
    int64_t order; /* order of the nodes, a pen_order */
    /* Mean distance of neighbours' places in memory, in the natural order and in the present one. */
    double span_before, span_after;
    double seconds[PEN_TIME_CATEGORIES];
} pen_rank_report;

/* Declared work, in units. */
typedef struct pen_work_report {
    double total, makespan, ideal, efficiency;
} pen_work_report;

/* The numbers of the whole run; equal on all ranks except for members that only rank 0 has. */
typedef struct pen_report {
    pen_rank_report *ranks; /* [size] numbers of each rank; on rank 0, else NULL */
    double *loads; /* [size*history.count] loads on rank 0, else NULL: rank by rank, in seconds or declared units */
    /* On rank 0: maxima of the ranks' times; sums of their gets, bytes, syncs and far reads. */
    pen_rank_report most;
    pen_quality last; /* quality of the present partition */
    uint64_t checksum;
    bool has_checksum;
    bool declared; /* loads, and therefore work, are declared */
    pen_work_report work;
    pen_provenance provenance;
} pen_report;

/* Local, equal on all ranks. Whether the run had its last step before .done or --until would have ended it. */
bool pen_report_cut_off(const pen_run *run);

/* Collective. Gather the report. PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_report_create(pen_run *run, pen_report *report);
void pen_report_free(pen_report *report);

/* Local, on rank 0. Print the summary, for a person: the end, partition, balancing, times, last observables and
 * checksum. */
void pen_summary_print(const pen_run *run, const pen_report *report, FILE *out);

/* Collective. Write the metrics, for programs ("penumbra-metrics/2", see tools/package/schema), as JSON.
 * PEN_ERR_MEMORY, PEN_ERR_IO. */
PEN_CHECKED pen_status pen_metrics_write(pen_run *run, const pen_report *report, const char *path);
