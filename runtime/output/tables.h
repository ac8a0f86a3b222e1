/* tables.h - writes a state as NumPy arrays, one file per column, or as a CSV table. Both functions are Collective. The
 * values of the columns must be set. *bytes becomes the length of the files. PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI.
 */
#pragma once

#include "output/columns.h"
#include "output/sequence.h"

/* Write NumPy files, with values ascending by gid. A column with one component becomes an array of one dimension,
 * others become arrays of two. */
PEN_CHECKED pen_status pen_npy_write(pen_comm *comm, const pen_store *store, const pen_sequence *sequence,
                                     const pen_columns *columns, const pen_naming *naming, int64_t step,
                                     int64_t *bytes);

/* Write a CSV file: a line of names (name_0, name_1, ... for several components), then a line for each node, ascending
 * by gid. Reals have as many digits as reading them back exactly needs. */
PEN_CHECKED pen_status pen_csv_write(pen_comm *comm, const pen_store *store, const pen_sequence *sequence,
                                     const pen_columns *columns, const char *path, int64_t *bytes);
