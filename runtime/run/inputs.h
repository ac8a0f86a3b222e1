/* inputs.h - values that files bring (pen_input_column), of the nodes and arcs of a run. Columns that are kept are
 * fields or edge fields of the run's own copy of the application, after its others: so they move with nodes, and are in
 * checkpoints. The other ones are there until the run has its first state. */
#pragma once

#include "input/read.h"
#include "run/state.h"

/* Local. Look at the files that a run shall have; `whole`: all of them must be there. As pen_input_files_create. */
PEN_CHECKED pen_status pen_inputs_create(pen_run *run, const pen_run_options *options, bool whole);

/* Collective, where some file brings coordinates. Those of the graph's nodes, *coordinates, [count*dimensions] node by
 * node, files->places.count being the dimensions; the caller frees them. Errors as pen_inputs_begin. */
PEN_CHECKED pen_status pen_inputs_place(const pen_input_files *files, const pen_graph *graph, double **coordinates);

/* Collective, when the nodes have their slots. Read them. PEN_ERR_INPUT, PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_inputs_begin(pen_run *run);

/* Local. On rank 0, a line for each table whose rows are taken in order. */
void pen_inputs_warn(const pen_run *run);

/* Local. Drop those that are not kept. */
void pen_inputs_end(pen_run *run);

/* Local. For changes of a graph with these fields, the application's first: new nodes and arcs have what columns that
 * are kept are otherwise. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_inputs_changes(const pen_app *app, int field_count, const size_t *sizes,
                                          pen_changes **changes);
