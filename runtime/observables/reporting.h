/* reporting.h - checks the options of observables. */
#pragma once

#include "run/state.h"

/* Local. Check that the options of observables fit the application. PEN_ERR_INPUT, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_observables_check(const pen_app *app, const pen_run_options *options);

/* Local. Check that there are observed values. PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_observables_needed(int count);
