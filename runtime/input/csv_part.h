/* csv_part.h - a rank's part of a file of comma-separated values.
 *
 * The bytes behind the header are shared out, and a record is that rank's in whose share it begins. Where records begin
 * is told by the quotes before: inside a quoted field a line end is none of a record, and a byte is inside where the
 * number of quotes before it is odd. So every rank counts the quotes, lines and records of its share, the records for
 * both cases, and the sums over the ranks before it tell which is true, and where it stands. In a file with a quote
 * where none may be, that holds up to there, and what is told is what is wrong there. A packed file is all rank 0's. */
#pragma once

#include "base/comm.h"
#include "input/rows.h"

typedef struct pen_csv_part pen_csv_part;

/* Collective. Errors: PEN_ERR_IO, PEN_ERR_INPUT, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_csv_part_open(pen_comm *comm, const pen_input_file *file, pen_csv_part **part);

/* Local. The next rows, until there is no room for more, or none is left before line `limit`: *more. What is wrong with
 * a record goes to rows->fault. Errors: PEN_ERR_IO, PEN_ERR_INPUT, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_csv_part_read(pen_csv_part *part, int64_t limit, pen_input_rows *rows, bool *more);

/* Local. */
void pen_csv_part_close(pen_csv_part **part);

/* Tests change this: bytes that are read at once, >= 1. */
extern int64_t pen_csv_part_chunk;
