/* reporting.h - the options of observables, checked. */
#pragma once

#include "run/state.h"

/* Local. Whether the options of observables fit the application. PEN_ERR_INPUT, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_observables_check(const pen_app *app, const pen_run_options *options);

/* Local. PEN_ERR_INPUT: there are no observed values. */
PEN_CHECKED pen_status pen_observables_needed(int count);
