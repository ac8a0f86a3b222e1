/* results.h - files of results (penumbra_output.h) during a run: when they are due, and their contents. */
#pragma once

#include "graph/graph.h"
#include "run/state.h"

typedef struct pen_results pen_results;

/* The results so far; equal on all ranks except for the seconds. */
typedef struct pen_results_totals {
    int64_t states, bytes;
    double seconds;
} pen_results_totals;

/* Local. Parse the options before anything is done: can this application, and this graph (NULL: not known yet), have
 * such files? `placed`: so many coordinates come from files and replace the graph's own; 0: none. PEN_ERR_INPUT,
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_results_check(const pen_app *app, const pen_graph *graph, int placed,
                                         const pen_run_options *options);

/* Collective, of a run that knows at which step it begins. Also where no files are wanted. Looks whether they can be
 * written, too. PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_results_create(pen_run *run, const pen_run_options *options);

/* Local. NULL is legal. */
void pen_results_destroy(pen_results **results);

/* Collective, before the first step and after each. Write what is due. PEN_ERR_UNSUPPORTED, PEN_ERR_IO, PEN_ERR_MEMORY,
 * PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_results_step(pen_run *run);

/* Collective, when the last step is done, of a run that has files of results. Write its state, unless it is there.
 * Errors: as above. */
PEN_CHECKED pen_status pen_results_end(pen_run *run);

/* Collective. Bring the series up to date, on the disk, before a checkpoint: a run that is resumed from it continues
 * the series. (pen_results_destroy does so, too, but cannot report a failure.) PEN_ERR_IO, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_results_settle(pen_run *run);

/* Local, after the files are written. Their names, "a.npy, b.npy", with {step}, or that of their .pvd; NULL: there are
 * none. */
const char *pen_results_name(const pen_run *run);

pen_results_totals pen_results_so_far(const pen_run *run);
