/* output.h - a file that all ranks write parts of, and that appears under its name only when it is
 * complete: it is written beside its name (new_file.h), and renamed at the end. */
#pragma once

#include "base/comm.h"

typedef struct pen_output pen_output;

/* Collective. Create the file beside `path`, which must be on a file system that all ranks see, and
 * must not exist as anything but a regular file. PEN_ERR_IO, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_output_create(pen_comm *comm, const char *path, pen_output **output);

/* Local. Write `size` bytes at `offset`. PEN_ERR_IO; the caller hands the status to commit. */
PEN_CHECKED pen_status pen_output_write(pen_output *output, const void *bytes, int64_t size, int64_t offset);

/* Collective. Where every rank's status so far is PEN_OK the file gets its name, else it is removed.
 * Frees and nulls *output either way. */
PEN_CHECKED pen_status pen_output_commit(pen_output **output, pen_status mine);

/* Local, on all ranks, before commit. The file gets its name as soon as it is whole; the caller sees to it that its
 * bytes are on the disk, too, by the second function, on one rank, later. PEN_ERR_IO. */
void pen_output_put_off(pen_output *output);
PEN_CHECKED pen_status pen_output_settle(const char *path);

/* Local. The whole of it, by one rank for itself. PEN_ERR_IO, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_output_alone(const char *path, const char *text, size_t size);

/* Collective. The same, with rank 0's `size` bytes at `text` and every rank's status so far. PEN_ERR_IO,
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_output_text(pen_comm *comm, const char *path, const char *text, size_t size,
                                       pen_status mine);

/* Collective. Create the file beside `path` and remove it: what could only fail after hours of
 * computing fails before. What killed runs have left beside it is removed, too. */
PEN_CHECKED pen_status pen_output_check(pen_comm *comm, const char *path);
