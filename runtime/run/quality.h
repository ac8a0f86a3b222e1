/* quality.h - how good the partition of a run is. */
#pragma once

#include "run/state.h"

/* Collective. Measured on the distributed graph as it is pulled; loads are the node weights. PEN_ERR_MEMORY,
 * PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_run_quality(pen_run *run, pen_quality *quality);

/* Collective. With a machine, the estimated step time of a partition becomes that of other loads: `load` is what this
 * rank's nodes have together. PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_run_step_time(const pen_run *run, double load, pen_quality *quality);
