/* record.h - the workload record of a run (workload/workload.h): what balancers would have seen with any owners. Ranks
 * keep the loads of some steps, and rank 0 gathers and writes them. If writing fails, the run continues. */
#pragma once

#include "run/state.h"
#include "store/change.h"

typedef struct pen_record pen_record;

/* Collective, when nodes have their first owners and, with a balancer, their loads. Begin the record at `path`; from
 * now on loads are kept for it. PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI, PEN_ERR_UNSUPPORTED. */
PEN_CHECKED pen_status pen_record_begin(pen_run *run, const char *path);

/* Collective, after the phases of a step. `spent`: ticks that this rank spent in node functions. PEN_ERR_MEMORY,
 * PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_record_step(pen_run *run, uint64_t spent);

/* Collective. Prepare the entry of a change, before nodes get other owners or other rows (change->rewired).
 * PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_record_prepare(pen_run *run, const pen_change *change);

/* Local. The prepared change was carried out; or it was not. */
void pen_record_commit(pen_run *run);
void pen_record_forget(pen_run *run);

/* Collective, if the run has a record. Complete the record and give it its final name. PEN_ERR_IO (also of an earlier
 * step; there is no record then), PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_record_end(pen_run *run);
