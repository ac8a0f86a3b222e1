/* apply_change.h - changes the graph of a run: moves nodes or carries out requests of nodes, and updates all that
 * depends on the store. */
#pragma once

#include "run/state.h"
#include "store/change.h"

/* Collective. Carry out moves of this rank's nodes, its status so far being `mine`. On failure, the same on all
 * ranks, nothing has changed. Errors: as pen_change_moves, pen_halo_build and
 * pen_change_announce. */
PEN_CHECKED pen_status pen_run_migrate(pen_run *run, pen_status mine, int64_t count, const pen_move *moves);

/* Local. Make the requests for changes of the graph, with these fields; the application's own fields come first. The
 * input columns of new nodes and arcs have their defaults (.otherwise). PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_app_changes(const pen_app *app, int field_count, const size_t *sizes, pen_changes **changes);

/* Collective, when all nodes have made their requests to run->changed.requests. Whether there are any, and whether they
 * are valid as far as each rank can tell. One all-reduce. PEN_ERR_ARGUMENT, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_run_asked(pen_run *run, bool *any);

/* Collective, if there are requests. Nodes that stay keep their next records of the fields in `writes`, and the current
 * records of other fields; all are current afterwards, and shadows too. On failure, the same on all ranks, nothing has
 * changed. Errors: as pen_change_requests, pen_halo_build and pen_change_announce. */
PEN_CHECKED pen_status pen_run_rewire(pen_run *run, uint64_t writes);
