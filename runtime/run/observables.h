/* observables.h - computes the observables of the application, and decides whether they end the run. */
#pragma once

#include "run/state.h"

/* Collective. Observe the initial state, perhaps once more, since it has changed, and compute the globals from it.
 * PEN_ERR_MPI, and those of pen_globals_update. */
PEN_CHECKED pen_status pen_observables_of_start(pen_run *run);

/* Collective, before a phase that has observables. Compute them. PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_observables_of_phase(pen_run *run, int phase);

/* Collective, after a step, when run->step counts it. Compute the observables of the step. PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_observables_of_step(pen_run *run);

/* Local, after a step, when the globals have been updated. Let parts note the values. */
void pen_observables_note(pen_run *run);

/* Local. Why a run with these observables ends at this step. */
pen_end pen_observables_end(const pen_run *run);
