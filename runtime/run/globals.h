/* globals.h - the values of the whole run (pen_app.globals). Each rank computes the record, from what is equal on all.
 */
#pragma once

#include "run/state.h"

/* Local, or Collective in the strict mode and in the checking build. The record gets its new value, after the
 * observables of that phase, or of the step, have got theirs; of the initial state it begins at 0. PEN_ERR_CHECK: two
 * calls, or two ranks, do not come to the same; then the record is as it was. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_globals_update(pen_run *run, int phase);

/* Local. The record is as it was before the last update: the phase that it was for is done once more. */
void pen_globals_undo(pen_run *run);

/* Local. The physical time of the state, by the name that the application has for it; NULL: there is none. */
const char *pen_globals_time(const pen_run *run, double *time);
