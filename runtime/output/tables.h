/* tables.h - a state as arrays of NumPy's, a file for each column, and as CSV. */
#pragma once

#include "output/columns.h"
#include "output/sequence.h"

/* Both Collective; the columns' values are known; *bytes: of the files. PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */

/* Values ascending by gid, of one dimension where the column has one component, else of two. */
PEN_CHECKED pen_status pen_npy_write(pen_comm *comm, const pen_store *store, const pen_sequence *sequence,
                                     const pen_columns *columns, const pen_naming *naming, int64_t step,
                                     int64_t *bytes);

/* A line of names, of several components name_0, name_1, ..., then a line for each node, ascending by gid; reals with
 * as many digits as they need to be read as they were. */
PEN_CHECKED pen_status pen_csv_write(pen_comm *comm, const pen_store *store, const pen_sequence *sequence,
                                     const pen_columns *columns, const char *path, int64_t *bytes);
