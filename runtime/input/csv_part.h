/* csv_part.h - a rank's part of a file of comma-separated values.
 *
 * Each rank gets a share of the bytes after the header, and reads the records that begin in its share. A line end
 * inside a quoted field does not end a record; a byte is inside such a field if the number of quotes before it is
 * odd. So each rank counts the quotes, lines and records of its share, the records for an odd and for an even number
 * of quotes before the share. The sums over the lower ranks then give the right case, and the line number. If the
 * file has a misplaced quote, this holds up to the quote, and the message reports it. Rank 0 reads all of a packed
 * file. */
#pragma once

#include "base/comm.h"
#include "base/per_rank.h"
#include "input/rows.h"

typedef struct pen_csv_part pen_csv_part;

/* Collective. Open the file, and find this rank's part. Errors: PEN_ERR_IO, PEN_ERR_INPUT, PEN_ERR_MEMORY,
 * PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_csv_part_open(pen_comm *comm, const pen_input_file *file, pen_csv_part **part);

/* Local. Read the next rows, until `rows` is full or no row before line `limit` is left; *more: some are left. A wrong
 * record is noted in rows->fault. Errors: PEN_ERR_IO, PEN_ERR_INPUT, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_csv_part_read(pen_csv_part *part, int64_t limit, pen_input_rows *rows, bool *more);

/* Local. Close the file, and null *part. */
void pen_csv_part_close(pen_csv_part **part);

/* Bytes that are read at once, >= 1. Tests change it. */
extern PEN_PER_RANK int64_t pen_csv_part_chunk;
