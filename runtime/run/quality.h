/* quality.h - how good the partition of a run is. */
#ifndef PEN_RUN_QUALITY_H
#define PEN_RUN_QUALITY_H

#include "run/state.h"

/* Collective. Measured on the distributed graph as it is pulled; loads are the node weights. PEN_ERR_MEMORY,
 * PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_run_quality(pen_run *run, pen_quality *quality);

#endif
