/* run_read.h - what one metrics file says of its run. All Local. */
#ifndef PEN_PLOT_RUN_READ_H
#define PEN_PLOT_RUN_READ_H

#include "base/status.h"

/* Where the time goes, in the order in which it is stacked. */
enum {
    INITIALISATION,
    COMPUTATION,
    COMPUTATION_OVERHEAD,
    COMMUNICATION,
    COMMUNICATION_OVERHEAD,
    BALANCING,
    CATEGORIES
};

typedef struct run_seconds {
    double total, loop;
    double of[CATEGORIES];
} run_seconds;

typedef struct run_rank {
    int64_t owned;
    run_seconds seconds;
} run_rank;

typedef struct run_call {
    int64_t step; /* after how many steps */
    bool applied;
    double imbalance_before, imbalance_after, seconds;
    int64_t cut_before, cut_after, moved_nodes, moved_bytes;
    double dilation_before, dilation_after, step_time_before, step_time_after; /* where the run had a machine, else 0 */
} run_call;

/* How an observable went. */
typedef struct run_observable {
    char *name;
    double *values; /* [moments]; NAN: no finite number */
} run_observable;

/* A metrics file. Texts are such that a picture or a page can show them: no control characters. */
typedef struct run {
    char *path, *app, *comm, *partitioner, *balancer;
    char *series; /* what tells its series from the others read with it (app, nodes, steps, comm, ...) */
    char *label;  /* the same, and the ranks, and the file where these tell nothing apart */
    int64_t ranks, nodes, edges, steps;
    bool has_machine;
    int64_t cut; /* as partitioned */
    double imbalance;
    double efficiency;       /* of declared work; negative where it is unknown */
    run_seconds most;        /* each the maximum over ranks */
    run_seconds mean;        /* each the mean over ranks, so that the categories add up */
    run_rank *per_rank;      /* [ranks] */
    int64_t stride, samples; /* a sample is the mean over so many steps */
    bool declared;           /* loads are units, not seconds */
    double *loads;           /* [ranks][samples] */
    run_call *calls;         /* [call_count] */
    int64_t call_count;
    run_observable *observables; /* [observable_count] */
    int observable_count;
    int64_t moments, observed_every; /* observed_every, 2 * observed_every, ... steps after the start */
} run;

/* Read a file into *r, which is zero; what is in it is the caller's to free whatever the status. Statuses as of
 * pen_runs_read. */
PEN_CHECKED pen_status pen_metrics_read(const char *path, run *r);

#endif
