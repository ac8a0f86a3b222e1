/* observables.h - what the application observes, where it is kept and written, and whether it ends the run. */
#pragma once

#include "run/state.h"

/* Local. Whether the options that concern observables fit the application. PEN_ERR_INPUT, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_observables_check(const pen_app *app, const pen_run_options *options);

/* Collective, of a run that has its first records. Observe the initial state, and begin the file that the options
 * name. PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_observables_begin(pen_run *run, const pen_run_options *options);

/* Both replace that call in a resumed run, whose values are those of the checkpoint. Local. Make room for the
 * observables. PEN_ERR_INPUT, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_observables_prepare(pen_run *run, const pen_run_options *options);

/* Collective. Give the file its name, in place of an old one, when nothing else of the run can be refused. PEN_ERR_IO.
 */
PEN_CHECKED pen_status pen_observables_name_file(pen_run *run);

/* Collective. If the options name a file, begin it, or continue it if its first `bytes` bytes end in `line` (NULL:
 * begin it). PEN_ERR_INPUT (another file), PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_observables_open(pen_run *run, const pen_run_options *options, const char *line,
                                            int64_t bytes);

/* Collective. Observe the initial state, perhaps once more, since it has changed, and compute the globals from it.
 * PEN_ERR_MPI, and those of pen_globals_update. */
PEN_CHECKED pen_status pen_observables_of_start(pen_run *run);

/* Collective, before a phase that has observables. PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_observables_of_phase(pen_run *run, int phase);

/* Collective, after a step, which counts already. PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_observables_of_step(pen_run *run);

/* Local, when the globals have been updated. Add the values of the state to the series and, after a step, to the file.
 * pen_observables_write writes the line of the initial state. If the file cannot be written, run->observation->failed
 * becomes true on all ranks, some steps later. */
void pen_observables_keep(pen_run *run);
void pen_observables_write(pen_run *run);

/* Collective, if there is a file. PEN_ERR_IO: writing failed, and no more is written. */
PEN_CHECKED pen_status pen_observables_file_agree(pen_run *run);

/* Local. Why a run with these observables ends at this step. */
pen_end pen_observables_end(const pen_run *run);
