/* reporting.h - checks the options of observables. */
#pragma once

#include "observables/progress.h"
#include "run/parts.h"

/* Local. Check that the options of observables fit the application. PEN_ERR_INPUT, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_observables_check(const pen_app *app, const pen_run_options *options);

/* Local. Check that there are observed values. PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_observables_needed(int count);

extern const pen_part pen_part_reporting;

/* Local, rank 0. A progress line for computing the run's steps again (--verify), if the run shows its progress. */
pen_progress_line pen_reporting_again(const pen_run *run, int64_t steps);
