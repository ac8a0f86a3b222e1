/* runs.h - the loads of a step, coded in runs of nodes with equal loads, as runs of the clock make them: nodes between
 * two readings of it have equal loads. All Local. */
#pragma once

#include "base/bytes.h"

/* How a step codes its loads: the number that it begins with. */
enum { PEN_LOADS_IN_RUNS = 2 };

/* What a coder remembers between steps. Zeros at first. */
typedef struct pen_run_coder {
    double *before;  /* the loads of the step before, if `known` */
    int32_t *starts; /* of runs, while it codes */
    int64_t before_room, start_room;
    bool known; /* the caller forgets it when the nodes, or their order, change */
} pen_run_coder;

/* Bytes that coding takes at most; and room for the coder. PEN_ERR_MEMORY. */
int64_t pen_runs_most(int64_t count, int phases);
PEN_CHECKED pen_status pen_run_coder_fit(pen_run_coder *coder, int64_t count, int phases);
void pen_run_coder_free(pen_run_coder *coder);

/* Append the coded loads[count*phases] to *bytes, for which the coder has room. The node of a load that is not a number
 * from 0 to 1e300, or -1: there is none. */
int64_t pen_runs_put(pen_run_coder *coder, int64_t count, int phases, const double *loads, pen_bytes *bytes);

/* Decode the next step of `count` nodes, at these places of loads[places*phases], which are those of the step before;
 * `places` may be NULL: from the first place on. */
void pen_runs_get(pen_scan *scan, int64_t count, int phases, const int32_t *places, double *loads);
