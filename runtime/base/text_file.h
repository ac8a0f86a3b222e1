/* text_file.h - small files of text, which one rank reads and all get; and whether a file is one that can be read. */
#ifndef PEN_TEXT_FILE_H
#define PEN_TEXT_FILE_H

#include "base/comm.h"

/* Local. Open a regular file for reading: what else has a name, a pipe or a device, may never begin or never end, and
 * is refused. *size is that of the file as it was opened: one that grows has an end there. PEN_ERR_IO, "path: why". */
PEN_CHECKED pen_status pen_regular_open(const char *path, FILE **file, int64_t *size);

/* Local. The whole file, ending in '\0', which the caller frees, also after a failure. `what` begins messages:
 * "machine". PEN_ERR_IO, PEN_ERR_INPUT (larger than 1 GiB), PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_text_read(const char *what, const char *path, FILE *file, char **text);

/* Collective. The same of the file at a path, which rank 0 opens, for all ranks. Errors: PEN_ERR_IO, PEN_ERR_INPUT,
 * PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_text_load(pen_comm *comm, const char *what, const char *path, char **text);

/* Collective. *text of rank 0 on all ranks; elsewhere it is NULL before. Errors: PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_text_distribute(pen_comm *comm, char **text);

#endif
