/* output.h - files that appear under their names only when they are complete: a new file is written, and replaces the
 * old one at the end. One process writes it, or all ranks write parts of it.
 *
 * Until then the file has no name (O_TMPFILE), so a killed program leaves nothing. Ranks of one host open rank 0's file
 * through /proc. Without such files (NFS) or without /proc, and for ranks on several hosts, the file has the temporary
 * name "PATH.unfinished-" and 16 unpredictable hexadecimal digits. It must not exist before, and must not be a symbolic
 * link; so in a folder that is writable for all, other users cannot redirect the output. If a killed program leaves a
 * file with such a name, it stays, since its origin cannot be proved: pen_new_file_tell_left reports it. */
#pragma once

#include "base/comm.h"

/* ---- One process: all functions are Local, except pen_new_file_create_shared ----------------- */

enum { PEN_FILE_ID = 5 };

typedef struct pen_new_file {
    char *path, *beside;     /* the final name; the temporary name, "" if there is none. NULL: there is no file. */
    int64_t id[PEN_FILE_ID]; /* an id by which other processes find the file */
    int file;                /* descriptor for reading and writing; -1: closed */
} pen_new_file;

#define PEN_NO_FILE                           \
    {                                         \
        .path = NULL, .id[0] = -1, .file = -1 \
    }

/* Whether a path can be the name of a new file: not empty, and without a slash at its end. `what`, an option or a
 * command, begins the message. PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_output_named(const char *what, const char *path);

/* The part of a path after its last slash; a copy of the part before, "." if there is none, which the caller frees.
 * PEN_ERR_MEMORY. */
const char *pen_path_base(const char *path);
PEN_CHECKED pen_status pen_path_folder(const char *path, char **folder);

/* Create the file. If `path` exists, it must be a regular file. After a failure *file has no file. PEN_ERR_INPUT (see
 * pen_output_named), PEN_ERR_IO, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_new_file_create(const char *path, pen_new_file *file);

/* Collective. Create the file on rank 0, and open it for writing on all others. `mine` is this rank's status so far.
 * After a failure *file has no file on any rank. Errors: as pen_new_file_create. */
PEN_CHECKED pen_status pen_new_file_create_shared(pen_comm *comm, const char *path, pen_status mine,
                                                  pen_new_file *file);

/* For the process that created the file: close it, and give it its name if `status` is PEN_OK, otherwise remove it.
 * Without a file nothing happens. Returns `status` or, if that is PEN_OK and naming fails, PEN_ERR_IO. */
PEN_CHECKED pen_status pen_new_file_finish(pen_new_file *file, pen_status status);

/* For other processes: close the file. Without a file nothing happens. PEN_ERR_IO. */
PEN_CHECKED pen_status pen_new_file_leave(pen_new_file *file);

typedef bool pen_name_test(const void *context, const char *name);

/* Warn, in one line, if the folder of `path` has temporary files of this name or, if `of` is not NULL, of names for
 * which it is true. */
void pen_new_file_tell_left(const char *path, pen_name_test *of, const void *context);

/* Whether a new file must not take this name, because it leads to something other than a regular file or, like
 * /dev/stdout, is a link to a file that a process has open; a new file would replace the link. */
bool pen_file_is_special(const char *path);

/* Whether a path still refers to the open file. */
bool pen_file_is_at(int file, const char *path);

/* Write all `size` bytes at `offset` of an open file; `path` is its name in messages. On failure errno has the reason.
 * PEN_ERR_IO. */
PEN_CHECKED pen_status pen_write_at(int file, const char *path, const void *from, int64_t size, int64_t offset);

/* Flush standard output, and check that all that the process has printed was written. PEN_ERR_IO. */
PEN_CHECKED pen_status pen_stdout_flush(void);

/* Sync an open file to the disk. PEN_ERR_IO. */
PEN_CHECKED pen_status pen_file_sync(int file, const char *path);

/* ---- All ranks ----------------------------------------------------------------------------- */

typedef struct pen_output pen_output;

/* Collective. Create a new file for `path`. All ranks must see that file system. If `path` exists, it must be a regular
 * file. PEN_ERR_INPUT, PEN_ERR_IO, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_output_create(pen_comm *comm, const char *path, pen_output **output);

/* Local. Write `size` bytes at `offset`. PEN_ERR_IO; the caller passes the status to pen_output_commit. */
PEN_CHECKED pen_status pen_output_write(pen_output *output, const void *bytes, int64_t size, int64_t offset);

/* Collective. Give the file its name if the status of all ranks is PEN_OK; otherwise remove it. Frees and nulls *output
 * in either case. */
PEN_CHECKED pen_status pen_output_commit(pen_output **output, pen_status mine);

/* Local, on all ranks, before commit, if several files belong together: sync the bytes to the disk now, so that a full
 * disk shows before the first file has its name. PEN_ERR_IO. */
PEN_CHECKED pen_status pen_output_sync(pen_output *output);

/* Local, on all ranks, before commit. Name the file without waiting for the disk. Later one rank calls the second
 * function, which syncs the file to the disk. PEN_ERR_IO. */
void pen_output_put_off(pen_output *output);
PEN_CHECKED pen_status pen_output_settle(const char *path);

/* Local. Write a whole file on one rank. PEN_ERR_INPUT, PEN_ERR_IO, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_output_alone(const char *path, const char *text, size_t size);

/* Collective. Write a whole file with rank 0's `size` bytes at `text`; each rank passes its status so far. PEN_ERR_IO,
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_output_text(pen_comm *comm, const char *path, const char *text, size_t size,
                                       pen_status mine);

/* Collective. Create a new file for `path` and remove it, so that a failure shows before hours of computing; _check
 * also warns of temporary files of that name (pen_new_file_tell_left). Errors: as pen_output_create. */
PEN_CHECKED pen_status pen_output_try(pen_comm *comm, const char *path);
PEN_CHECKED pen_status pen_output_check(pen_comm *comm, const char *path);
