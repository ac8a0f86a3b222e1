/* quality.h - the quality of the partition of a run's graph. */
#pragma once

#include "run/state.h"
#include "view/shares.h"

/* Local. The speed of this rank's processor: a load takes the time load / speed. */
static inline double pen_run_speed(const pen_run *run) { return pen_speed_of(run->partition.machine, run->comm->rank); }

/* Collective. Measure the partition on the distributed graph; loads are the node weights. PEN_ERR_MEMORY, PEN_ERR_MPI.
 */
PEN_CHECKED pen_status pen_run_quality(pen_run *run, pen_quality *quality);
