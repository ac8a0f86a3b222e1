/* reporting.h - printing during a run, on rank 0: a line of observables per step, a progress line. */
#pragma once

#include "run/state.h"

/* Local. Set up what the options ask for; only a reporter prints. */
void pen_reporting_start(const pen_run_options *options, bool reporter, pen_reporting *reporting);

/* Local, of a run whose reporting is on: before some steps, the first ones or not; after each; and after them. */
void pen_reporting_begin(pen_run *run, bool first, int64_t steps);
void pen_reporting_step(pen_run *run);
void pen_reporting_end(pen_run *run);
