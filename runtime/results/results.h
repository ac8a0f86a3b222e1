/* results.h - files of results (penumbra_output.h) during a run: when they are due, and their contents. */
#pragma once

#include "run/parts.h"

extern const pen_part pen_part_results;

/* Local. Check that the application can have the files that the options name. PEN_ERR_INPUT, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_results_check(const pen_app *app, const pen_run_options *options);

/* Collective, after the last step of a run that has files of results. Write the state, unless it is written.
 * PEN_ERR_UNSUPPORTED, PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_results_end(pen_run *run);

/* Local, after the files are written. Their names, "a.npy, b.npy", with {step}, or the name of their .pvd; NULL: there
 * are no files. */
const char *pen_results_name(const pen_run *run);
