/* runs.h - codes the loads of a step in runs of nodes with equal loads. Measured loads have such runs: all nodes
 * between two readings of the clock have equal loads. All Local. */
#pragma once

#include "base/bytes.h"

/* The number that begins a step's loads and names their coding: runs of equal loads. */
enum { PEN_LOADS_IN_RUNS = 2 };

/* The state of a coder between steps, initially zero. */
typedef struct pen_run_coder {
    double *before;  /* loads of the previous step, if `known` */
    int32_t *starts; /* first nodes of the runs, while a step is coded */
    int64_t before_room, start_room;
    bool known; /* `before` is valid. The caller clears it when the nodes or their order change. */
} pen_run_coder;

/* The largest number of bytes of a coded step; and allocate memory for the coder. PEN_ERR_MEMORY. */
int64_t pen_runs_most(int64_t count, int phases);
PEN_CHECKED pen_status pen_run_coder_fit(pen_run_coder *coder, int64_t count, int phases);
void pen_run_coder_free(pen_run_coder *coder);

/* Append the coded loads[count*phases] to *bytes, after pen_run_coder_fit. Returns the first node with a load that is
 * not a number from 0 to 1e300, or -1. */
int64_t pen_runs_put(pen_run_coder *coder, int64_t count, int phases, const double *loads, pen_bytes *bytes);

/* Decode the next step of `count` nodes. Their loads are at these places of loads[places*phases], which has the loads
 * of the previous step; `places` NULL: the first `count` places. */
void pen_runs_get(pen_scan *scan, int64_t count, int phases, const int32_t *places, double *loads);
