/* read.h - the values that files bring, read on all ranks and shipped to those who own the nodes. */
#pragma once

#include "input/files.h"
#include "input/nodes.h"

/* Collective. Fill values[column], [count] or [rows[count]], of each column of the application: from its file, or with
 * what it is otherwise. Errors, the same on all ranks: PEN_ERR_INPUT, of several wrong rows the first one's, whatever
 * the number of ranks; PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_input_read(const pen_input_files *files, const pen_input_nodes *nodes,
                                      double *const *values);
