/* quality.h - how good the partition of a run's graph is. */
#pragma once

#include "run/state.h"

/* Collective. Measured on the distributed graph as it is pulled; loads are the node weights. PEN_ERR_MEMORY,
 * PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_run_quality(pen_run *run, pen_quality *quality);
