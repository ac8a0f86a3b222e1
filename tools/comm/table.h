/* table.h - the measurements of a comparison, a row per configuration and transport. penumbra/comparison.py makes
 * tables, models and conclusions of them. */
#pragma once

#include "base/comm.h"

enum { COMM_NAME = 32 };

/* A sample that takes this many times as long as the fastest one counts as disturbed. */
#define COMM_DISTURBED 2.0

/* A measurement with a larger fraction of disturbed samples is unreliable: it includes other work of the machine. */
#define COMM_MOST_NOISE 0.25

/* The quantity that varies in a sweep: sizes of the halo, delivered by pulls or as mail, or numbers of neighbours. */
typedef enum comm_sweep { COMM_SWEEP_HALO, COMM_SWEEP_MAIL, COMM_SWEEP_NEIGHBORS, COMM_SWEEPS } comm_sweep;

/* A row of the table. Times are seconds per step of the slowest rank. */
typedef struct comm_row {
    comm_sweep sweep;
    char transport[COMM_NAME];
    bool one_sided;
    /* For two-sided transports: MPI's eager limit if it was chosen, else "default"; for one-sided ones "-". */
    char eager[COMM_NAME];
    int64_t ranks;
    int64_t record;     /* bytes of a record */
    int64_t neighbors;  /* the largest number of ranks from which a rank pulls */
    int64_t halo_bytes; /* the most bytes that a rank pulls per step */
    /* Counts of a step, summed over ranks; for two-sided transports, gets are messages; -1: unknown. */
    int64_t bytes, gets, syncs;
    double min, median, max;
    double low, high; /* a 95 % interval of the median; -1: there are too few samples */
    double noise;     /* fraction of samples that were disturbed */
    double sync;      /* median time of a step with nothing to pull; -1: unknown */
    double copy;      /* mean time of packing; -1: unknown */
    int64_t window;   /* the most bytes of windows on a rank, in a run of the whole graph */
    int64_t buffers;  /* the most other bytes on a rank; -1: unknown */
    bool chosen;      /* whether --comm=auto chooses the transport for this halo */
} comm_row;
