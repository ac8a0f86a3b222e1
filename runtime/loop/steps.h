/* steps.h - the steps of a run: its phases, and everything that follows them. */
#pragma once

#include "run/state.h"

/* Collective, before the first step. Compute the first values of all fields, the first shadows of all fields that are
 * ever read from neighbours, and the first observables. PEN_ERR_MEMORY, PEN_ERR_MPI, PEN_ERR_CHECK (the strict mode).
 */
PEN_CHECKED pen_status pen_run_initialize(pen_run *run);
