/* read.h - reads the values of files on all ranks, and sends them to the owners of the nodes. */
#pragma once

#include "input/files.h"
#include "input/nodes.h"

/* Collective. Fill values[column], [count] or [rows[count]], of each column of the application: from its file, or with
 * its default value (.otherwise). Errors, the same on all ranks: PEN_ERR_INPUT, for the first wrong row in the file,
 * which does not depend on the number of ranks; PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_input_read(const pen_input_files *files, const pen_input_nodes *nodes,
                                      double *const *values);

/* Collective, if some file has coordinates. Fill values[files->own + d], [count], with the coordinates of dimension d.
 * Errors as above. */
PEN_CHECKED pen_status pen_input_read_places(const pen_input_files *files, const pen_input_nodes *nodes,
                                             double *const *values);
