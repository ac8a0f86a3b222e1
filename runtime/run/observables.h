/* observables.h - what the application observes, where it is kept and written, and whether it ends the run. */
#pragma once

#include "run/state.h"

/* Local. Whether the options that concern observables fit the application. PEN_ERR_INPUT, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_observables_check(const pen_app *app, const pen_run_options *options);

/* Collective, of a run that has its first records. Observe the initial state, and begin the file that the options
 * name. PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_observables_begin(pen_run *run, const pen_run_options *options);

/* The two in place of that where a run is resumed, whose values are those of the checkpoint. Local. Make room for what
 * is observed. PEN_ERR_INPUT, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_observables_prepare(pen_run *run, const pen_run_options *options);

/* Collective, last of all, since it changes what a run before has left. Begin the file that the options name, if they
 * do, or go on with it where its first `bytes` bytes end in `line`; NULL: there is none. PEN_ERR_INPUT (the file is
 * another one), PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_observables_open(pen_run *run, const pen_run_options *options, const char *line,
                                            int64_t bytes);

/* Collective. Observe the initial state, perhaps once more, since it has changed, and compute the globals from it.
 * PEN_ERR_MPI, and those of pen_globals_update. */
PEN_CHECKED pen_status pen_observables_of_start(pen_run *run);

/* Collective, before a phase that has observables. PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_observables_of_phase(pen_run *run, int phase);

/* Collective, after a step, which counts already. PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_observables_of_step(pen_run *run);

/* Local, when the globals have got their values from that. The values of the state go into their series and, after a
 * step, into the file; pen_observables_write: the line of the initial state. Where the file cannot be written,
 * run->observation->failed is set on all ranks, some steps later. */
void pen_observables_keep(pen_run *run);
void pen_observables_write(pen_run *run);

/* Collective, where there is a file. PEN_ERR_IO where it could not be written: then it gets no more. */
PEN_CHECKED pen_status pen_observables_file_agree(pen_run *run);

/* Local. What ends a run whose observables and step are such. */
pen_end pen_observables_end(const pen_run *run);
