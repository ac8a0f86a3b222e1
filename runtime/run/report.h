/* report.h - the gathered numbers of a run and its ranks. */
#pragma once

#include "run/state.h"

enum { PEN_HOST_NAME = 64 };

typedef struct pen_provenance {
    int ranks;
    char (*hosts)[PEN_HOST_NAME]; /* [ranks] on rank 0, else NULL: name of each rank's host, cut off if longer */
} pen_provenance;

/* The numbers of one rank. */
typedef struct pen_rank_report {
    int64_t rank, owned, boundary, shadows, neighbors;
    int64_t gets, bytes, syncs, far_gets, far_bytes;
    double total, init, loop, changes;
    double queued; /* seconds that the rank waited for a processor since the run was created */
    int64_t order; /* order of the nodes, a pen_order */
    /* Mean distance of neighbours' places in memory, in the natural order and in the present one. */
    double span_before, span_after;
    double seconds[PEN_TIME_CATEGORIES];
} pen_rank_report;

/* The numbers of the whole run; equal on all ranks except for members that only rank 0 has. */
typedef struct pen_report {
    pen_rank_report *ranks; /* [size] numbers of each rank; on rank 0, else NULL */
    /* On rank 0: maxima of the ranks' times; sums of their gets, bytes, syncs and far reads. */
    pen_rank_report most;
    pen_quality last; /* quality of the present partition */
    uint64_t checksum;
    bool has_checksum;
    pen_provenance provenance;
} pen_report;
