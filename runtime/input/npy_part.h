/* npy_part.h - a rank's part of a NumPy array: a block of its rows. Rank 0 reads all rows of a packed array. If that
 * is in Fortran order, where each row is spread over the whole array, rank 0 first unpacks it into a nameless file. */
#pragma once

#include "base/comm.h"
#include "input/rows.h"

typedef struct pen_npy_part pen_npy_part;

/* Local. Open the file, and choose this rank's rows. Errors: PEN_ERR_IO, PEN_ERR_INPUT, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_npy_part_open(const pen_comm *comm, const pen_input_file *file, pen_npy_part **part);

/* Local. Read the next rows, until `rows` is full or no row before row `limit` is left; *more: some are left. A
 * wrong row is noted in rows->fault. Errors: PEN_ERR_IO, PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_npy_part_read(pen_npy_part *part, int64_t limit, pen_input_rows *rows, bool *more);

/* Local. Close the file, and null *part. */
void pen_npy_part_close(pen_npy_part **part);
