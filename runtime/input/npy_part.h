/* npy_part.h - a rank's part of an array of NumPy's: a block of its rows. Of a packed one rank 0 has all rows; where it
 * is in Fortran order besides, so that a row is spread over all of it, it is unpacked into a nameless file first. */
#pragma once

#include "base/comm.h"
#include "input/rows.h"

typedef struct pen_npy_part pen_npy_part;

/* Local. Errors: PEN_ERR_IO, PEN_ERR_INPUT, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_npy_part_open(const pen_comm *comm, const pen_input_file *file, pen_npy_part **part);

/* Local. The next rows, until there is no room for more, or none is left before row `limit`: *more. What is wrong with
 * a row goes to rows->fault. Errors: PEN_ERR_IO, PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_npy_part_read(pen_npy_part *part, int64_t limit, pen_input_rows *rows, bool *more);

/* Local. */
void pen_npy_part_close(pen_npy_part **part);
