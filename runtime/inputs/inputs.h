/* inputs.h - the values from files (pen_input_column) of the nodes and arcs of a run. Columns that are kept are fields
 * or edge fields of the run's own copy of the application, after the application's own ones. So they move with nodes,
 * and are in checkpoints. The other columns exist until the run has its first state. */
#pragma once

#include "input/read.h"
#include "run/state.h"

extern const pen_part pen_part_inputs;

/* Local. The files of a run; NULL: neither application nor options name any. */
static inline pen_input_files *pen_input_files_of(const pen_run *run)
{
    pen_input_files **files = pen_part_state(run, &pen_part_inputs);
    return files ? *files : NULL;
}

/* Collective, if a file has coordinates. Read those of the graph's nodes: *coordinates [count*dimensions], node by
 * node, with files->places.count dimensions. The caller frees them. Errors as of pen_inputs_begin. */
PEN_CHECKED pen_status pen_inputs_place(const pen_input_files *files, const pen_graph *graph, double **coordinates);

/* Collective, when the nodes have their slots. Read the values. PEN_ERR_INPUT, PEN_ERR_IO, PEN_ERR_MEMORY,
 * PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_inputs_begin(pen_run *run);
