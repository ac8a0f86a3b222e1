/* report.h - the gathered numbers of a run and its ranks. */
#pragma once

#include "run/state.h"

/* Where the numbers come from: what a reader of the metrics needs to make them again. */

enum { PEN_HOST_NAME = 64 };

typedef struct pen_provenance {
    int ranks;
    char (*hosts)[PEN_HOST_NAME]; /* [ranks] on rank 0, else NULL: the host of each, cut where it is longer */
} pen_provenance;

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
