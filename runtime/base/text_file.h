/* text_file.h - files that are read: whether a file can be, its bytes, and small files of text, which one rank reads
 * for all. */
#pragma once

#include "base/comm.h"

/* Local. Open a regular file for reading: what else has a name, a pipe or a device, may never begin or never end, and
 * is refused. `own`: so are what belongs to another user, and a symbolic link, for a folder in which anybody may put
 * something. *size is that of the file as it was opened: one that grows has an end there. PEN_ERR_IO, "path: why"; then
 * *file is NULL, or -1. */
PEN_CHECKED pen_status pen_regular_open(const char *path, bool own, FILE **file, int64_t *size);
PEN_CHECKED pen_status pen_regular_descriptor(const char *path, bool own, int *file, int64_t *size);

/* Local. Read `size` bytes at `offset` of an open file, all of them; `path` is its name in messages. PEN_ERR_IO. */
PEN_CHECKED pen_status pen_read_at(int file, const char *path, void *to, int64_t size, int64_t offset);

/* Local. Open a file or a pipe that is read once, from its beginning; a pipe that nobody writes to is empty.
 * PEN_ERR_IO, "path: why"; then *file is NULL. */
PEN_CHECKED pen_status pen_text_open(const char *path, FILE **file);

/* Local. The whole file, ending in '\0', which the caller frees, also after a failure. `what` begins messages:
 * "machine". PEN_ERR_IO, PEN_ERR_INPUT (larger than 1 GiB), PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_text_read(const char *what, const char *path, FILE *file, char **text);

/* Collective. The same of the file at a path, which rank 0 opens, for all ranks. Errors: PEN_ERR_IO, PEN_ERR_INPUT,
 * PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_text_load(pen_comm *comm, const char *what, const char *path, char **text);

/* Collective. *text of rank 0 on all ranks; elsewhere it is NULL before. Errors: PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_text_distribute(pen_comm *comm, char **text);
