/* report.h - the gathered numbers of a run and its ranks, and their printing. */
#pragma once

#include "run/state.h"

/* Where the numbers come from: what a reader of the metrics needs to make them again. */

enum { PEN_HOST_NAME = 64 };

typedef struct pen_provenance {
    int ranks;
    char (*hosts)[PEN_HOST_NAME]; /* [ranks] on rank 0, else NULL: the host of each, cut where it is longer */
} pen_provenance;

/* Local, on rank 0. Members of a JSON object: versions, date, hosts, the process's command line, the graph, the
 * application's options with their values. */
void pen_provenance_print(const pen_provenance *provenance, const pen_run *run, FILE *out);

/* One rank's share. */
typedef struct pen_rank_report {
    int64_t rank, owned, boundary, shadows, neighbors;
    int64_t gets, bytes, syncs, far_gets, far_bytes;
    double total, init, loop, changes;
    int64_t order;                  /* a pen_order */
    double span_before, span_after; /* mean distance of neighbours' places, in the natural order and as it is */
    double seconds[PEN_TIME_CATEGORIES];
} pen_rank_report;

/* Work that was declared, in units. */
typedef struct pen_work_report {
    double total, makespan, ideal, efficiency;
} pen_work_report;

/* The whole run; equal on all ranks except for members that only rank 0 has. */
typedef struct pen_report {
    pen_rank_report *ranks; /* [size] on rank 0, else NULL */
    double *loads;          /* [size*history.count] on rank 0, else NULL: rank by rank, in seconds or declared units */
    /* On rank 0: maxima of times over ranks; sums of gets, bytes, syncs and far ones. */
    pen_rank_report most;
    pen_quality last; /* of the present partition */
    uint64_t checksum;
    bool has_checksum;
    bool declared; /* loads are, and so is work */
    pen_work_report work;
    pen_provenance provenance;
} pen_report;

/* Local, equal on all ranks. Whether the run had its last step before .done or --until would have ended it. */
bool pen_report_cut_off(const pen_run *run);

/* Collective. PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_report_create(pen_run *run, pen_report *report);
void pen_report_free(pen_report *report);

/* Local, on rank 0, to a person: the end, partition, balancing, times, last observables and checksum. */
void pen_summary_print(const pen_run *run, const pen_report *report, FILE *out);

/* Collective, to programs. Write the metrics ("penumbra-metrics/2", see tools/package/schema), as JSON. PEN_ERR_MEMORY,
 * PEN_ERR_IO. */
PEN_CHECKED pen_status pen_metrics_write(pen_run *run, const pen_report *report, const char *path);
