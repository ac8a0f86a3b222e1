/* text_file.h - reads files: opens them safely, reads their bytes, and loads small text files on one rank for all. */
#pragma once

#include "base/comm.h"

/* Local. Open a regular file for reading. Pipes and devices, whose data may never begin or never end, are refused. With
 * `own`, files of other users and symbolic links are refused, too; this is for folders that are writable for all. *size
 * is the size of the file when it is opened; later growth is ignored. PEN_ERR_IO, "path: why"; then *file is NULL, or
 * -1. */
PEN_CHECKED pen_status pen_regular_open(const char *path, bool own, FILE **file, int64_t *size);
PEN_CHECKED pen_status pen_regular_descriptor(const char *path, bool own, int *file, int64_t *size);

/* Local. Read all `size` bytes at `offset` of an open file; `path` is its name in messages. PEN_ERR_IO. */
PEN_CHECKED pen_status pen_read_at(int file, const char *path, void *to, int64_t size, int64_t offset);

/* Local. Open a file or a pipe that is read once, from its beginning. A pipe without a writer is not waited for.
 * PEN_ERR_IO, "path: why"; then *file is NULL. */
PEN_CHECKED pen_status pen_text_open(const char *path, FILE **file);

/* Local. Read a whole file into *text, ending in '\0', which the caller frees, also after a failure. `what` begins
 * messages: "machine". PEN_ERR_IO, PEN_ERR_INPUT (larger than 1 GiB, a zero byte, or an empty pipe, whose writer may
 * come too late), PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_text_read(const char *what, const char *path, FILE *file, char **text);

/* Collective. Read the file at a path, which only rank 0 opens, on all ranks. Errors: PEN_ERR_IO, PEN_ERR_INPUT,
 * PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_text_load(pen_comm *comm, const char *what, const char *path, char **text);

/* Collective. Copy *text of rank 0 to all ranks. On the other ranks it is NULL before. Errors: PEN_ERR_MEMORY,
 * PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_text_distribute(pen_comm *comm, char **text);
