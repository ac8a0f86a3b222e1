/* apply_change.h - the graph of a run changes: its nodes move, or what nodes ask for comes true; and all that hangs on
 * the store follows. */
#pragma once

#include "run/state.h"
#include "store/change.h"

/* Collective. Carry out a change that is prepared, with all that hangs on the store. Of requests, loads go along with
 * their nodes. On failure, the same on all ranks, nothing has changed. Errors: as pen_halo_build and
 * pen_change_announce. */
PEN_CHECKED pen_status pen_run_carry_out(pen_run *run, pen_change *change);

/* Collective. Carry out moves of this rank's nodes, its status so far being `mine`. On failure, the same on all
 * ranks, nothing has changed. Errors: as pen_change_moves and pen_run_carry_out. */
PEN_CHECKED pen_status pen_run_migrate(pen_run *run, pen_status mine, int64_t count, const pen_move *moves);

/* Local, behind a change, when what it needed is freed. The C library keeps freed memory that lies between what is
 * still in use; the system gets it back where there is much of it: when this rank's store has become less than a
 * quarter of what it was since the last time. */
void pen_run_give_back(pen_run *run);

/* Collective, when all nodes have been asked, with run->changes. Does anybody want anything, and can it be, as far as
 * each rank knows? One all-reduce. PEN_ERR_ARGUMENT, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_run_asked(pen_run *run, bool *any);

/* Collective, where somebody does. Records of nodes that stay are the next ones of the fields in `writes`, the current
 * ones of the others; all are current afterwards, and shadows too. On failure, the same on all ranks, nothing has
 * changed. Errors: as pen_run_carry_out and pen_change_requests. */
PEN_CHECKED pen_status pen_run_rewire(pen_run *run, uint64_t writes);
