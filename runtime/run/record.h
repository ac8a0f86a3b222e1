/* record.h - the workload record of a run (workload/workload.h): what balancers would have seen with any owners. Ranks
 * keep the loads of some steps, and rank 0 gathers and writes them. If writing fails, the run continues. */
#pragma once

#include "run/state.h"
#include "store/change.h"

typedef struct pen_record pen_record;

/* Collective, when nodes have their first owners, and their loads where they are balanced: begin the record at `path`,
 * for which loads are kept from now on. PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI, PEN_ERR_UNSUPPORTED. */
PEN_CHECKED pen_status pen_record_begin(pen_run *run, const char *path);

/* Collective, after the phases of a step, which took this rank so many ticks in node functions. PEN_ERR_MEMORY,
 * PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_record_step(pen_run *run, uint64_t spent);

/* Collective. Before nodes get other owners, or other rows (change->rewired): what that is about. PEN_ERR_MEMORY,
 * PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_record_prepare(pen_run *run, const pen_change *change);

/* Local. It has come about; or it has not. */
void pen_record_commit(pen_run *run);
void pen_record_forget(pen_run *run);

/* Collective, if the run has a record. Complete the record and give it its final name. PEN_ERR_IO (also of an earlier
 * step; there is no record then), PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_record_end(pen_run *run);
