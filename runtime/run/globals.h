/* globals.h - the values of the whole run (pen_app.globals). Each rank computes the record from data that are equal on
 * all ranks, or the program sets it between steps. */
#pragma once

#include "run/state.h"

/* Local, or Collective in the strict mode and in the checking build. Update the record after the observables of this
 * phase, or of the step, have new values. For the initial state it starts from zeros. PEN_ERR_CHECK: two calls or two
 * ranks gave different values; the record is restored. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_globals_update(pen_run *run, int phase);

/* Local. Restore the record from before the last update, because its phase will be repeated. */
void pen_globals_undo(pen_run *run);

/* Local. The values of the named members become those of the record. */
void pen_globals_show(pen_run *run);

/* Local. The physical time of the state, and the application's name for it; NULL: there is none. */
const char *pen_globals_time(const pen_run *run, double *time);
