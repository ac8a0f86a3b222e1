/* output.h - files that appear under their names only when they are complete: a file is written under a temporary name
 * in the same folder, and renamed at the end. One process writes it, or all ranks write parts of it.
 *
 * The temporary name is "PATH.unfinished-" and 16 unpredictable hexadecimal digits. The file must not exist before,
 * and must not be a symbolic link; so in a folder that is writable for all, other users cannot redirect the output.
 * The process that makes the file holds a lock on it (flock). An unlocked file is therefore one that a killed
 * program has left. */
#pragma once

#include "base/comm.h"

/* ---- One process: all Local ---------------------------------------------------------------- */

typedef struct pen_new_file {
    char *path, *beside; /* NULL: there is no file */
    int64_t mark;        /* >= 0, in those digits */
    int file;            /* open for reading and writing; -1: closed */
} pen_new_file;

#define PEN_NO_FILE              \
    {                            \
        .path = NULL, .file = -1 \
    }

/* Make the file. If `path` exists, it must be a regular file. After a failure *file has no file. PEN_ERR_IO,
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_new_file_create(const char *path, pen_new_file *file);

/* Open the file that another process has made with this mark, for writing. Errors as above. */
PEN_CHECKED pen_status pen_new_file_join(const char *path, int64_t mark, pen_new_file *file);

/* For the process that made the file: close it, and rename it if `status` is PEN_OK, otherwise remove it. Without a
 * file nothing happens. Returns `status` or, if that is PEN_OK and the renaming fails, PEN_ERR_IO. */
PEN_CHECKED pen_status pen_new_file_finish(pen_new_file *file, pen_status status);

/* For other processes: close the file. Without a file nothing happens. PEN_ERR_IO. */
PEN_CHECKED pen_status pen_new_file_leave(pen_new_file *file);

/* The length of a temporary name without its suffix; 0: it is not a temporary name. */
size_t pen_new_file_stem(const char *name);

/* Remove temporary files that killed programs have left: the one of that name in an open folder, or all of a path. A
 * file that a process still writes, or may still write, stays. */
void pen_new_file_sweep_one(int folder, const char *name);
void pen_new_file_sweep(const char *path);

/* Create a file under its final name, in place of an old one, and return its descriptor, or -1 with errno. Processes
 * that still write to the old file do not write to the new one. */
int pen_new_file_in_place(const char *path);

/* Whether a new file must not take this name, because it leads to something other than a regular file or, like
 * /dev/stdout, is a link to a file that a process has open; a new file would replace the link. */
bool pen_file_is_special(const char *path);

/* Whether that name still refers to the open file. */
bool pen_file_is_at(int file, const char *path);

/* Write `size` bytes at `offset` of an open file, all of them; `path` is its name in messages. After a failure errno
 * says why. PEN_ERR_IO. */
PEN_CHECKED pen_status pen_write_at(int file, const char *path, const void *from, int64_t size, int64_t offset);

/* Bring what was written to an open file to the disk. PEN_ERR_IO. */
PEN_CHECKED pen_status pen_file_sync(int file, const char *path);

/* ---- All ranks ----------------------------------------------------------------------------- */

typedef struct pen_output pen_output;

/* Collective. Create a temporary file in the folder of `path`. All ranks must see that file system. If `path` exists,
 * it must be a regular file. PEN_ERR_IO, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_output_create(pen_comm *comm, const char *path, pen_output **output);

/* Local. Write `size` bytes at `offset`. PEN_ERR_IO; the caller hands the status to commit. */
PEN_CHECKED pen_status pen_output_write(pen_output *output, const void *bytes, int64_t size, int64_t offset);

/* Collective. Rename the file if the status of all ranks is PEN_OK; otherwise remove it. Frees and nulls *output in
 * either case. */
PEN_CHECKED pen_status pen_output_commit(pen_output **output, pen_status mine);

/* Local, on all ranks, before commit. Rename the file without waiting for the disk. Later one rank calls the second
 * function, which syncs the file to the disk. PEN_ERR_IO. */
void pen_output_put_off(pen_output *output);
PEN_CHECKED pen_status pen_output_settle(const char *path);

/* Local. Write a whole file on one rank. PEN_ERR_IO, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_output_alone(const char *path, const char *text, size_t size);

/* Collective. The same, with rank 0's `size` bytes at `text` and every rank's status so far. PEN_ERR_IO,
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_output_text(pen_comm *comm, const char *path, const char *text, size_t size,
                                       pen_status mine);

/* Collective. Create a temporary file for `path` and remove it, so that a failure shows before hours of computing.
 * Temporary files of killed runs are removed, too. */
PEN_CHECKED pen_status pen_output_check(pen_comm *comm, const char *path);
