/* inputs.h - the values from files (pen_input_column) of the nodes and arcs of a run. Columns that are kept are fields
 * or edge fields of the run's own copy of the application, after the application's own ones. So they move with nodes,
 * and are in checkpoints. The other columns exist until the run has its first state. */
#pragma once

#include "input/read.h"
#include "run/state.h"

/* Local. Read the headers of the run's input files; `whole`: every required column must be in one of them. Errors as of
 * pen_input_files_create. */
PEN_CHECKED pen_status pen_inputs_create(pen_run *run, const pen_run_options *options, bool whole);

/* Collective, if a file has coordinates. Read those of the graph's nodes: *coordinates [count*dimensions], node by
 * node, with files->places.count dimensions. The caller frees them. Errors as of pen_inputs_begin. */
PEN_CHECKED pen_status pen_inputs_place(const pen_input_files *files, const pen_graph *graph, double **coordinates);

/* Collective, when the nodes have their slots. Read the values. PEN_ERR_INPUT, PEN_ERR_IO, PEN_ERR_MEMORY,
 * PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_inputs_begin(pen_run *run);

/* Local. On rank 0, a line for each table whose rows are taken in order, or that has one row of some edges
 * and two of others. */
void pen_inputs_warn(const pen_run *run);

/* Local. Free the columns that are not kept. */
void pen_inputs_end(pen_run *run);

/* Local. Make the requests for changes of the graph, with these fields; the application's own fields come first. The
 * kept columns of new nodes and arcs have their defaults (.otherwise). PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_inputs_changes(const pen_app *app, int field_count, const size_t *sizes,
                                          pen_changes **changes);
