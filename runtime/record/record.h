/* record.h - the workload record of a run (workload/workload.h): what balancers would have seen with any owners. Ranks
 * keep the loads of some steps, and rank 0 gathers and writes them. If writing fails, the run continues. */
#pragma once

#include "run/state.h"

extern const pen_part pen_part_record;

/* Collective, of a run with a record. Complete it, and give it its final name; nothing is recorded afterwards.
 * PEN_ERR_IO (also of an earlier step; there is no record then), PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_record_end(pen_run *run);
