/* output.h - files that appear under their names only when they are whole: a file is written beside its name, and
 * renamed at the end. One process writes it, or all ranks write parts of it.
 *
 * Beside means "PATH.unfinished-" and 16 hexadecimal digits that nobody can guess, in a file that must not be there
 * before and that is no symbolic link: in a folder where everybody may write, others cannot lead us to another file.
 * Who made the file holds a lock on it (flock). So what a killed program has left is known by being unlocked. */
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

/* Make the file. `path` must not exist as anything but a regular file. *file is without a file after a failure.
 * PEN_ERR_IO, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_new_file_create(const char *path, pen_new_file *file);

/* Open, for writing, the file that another process has made with this mark. Errors as above. */
PEN_CHECKED pen_status pen_new_file_join(const char *path, int64_t mark, pen_new_file *file);

/* By the process that made it: close it, and give it its name where `status` is PEN_OK, else remove it. Without a file
 * nothing happens. Returns `status` or, where that is PEN_OK, what it came to: PEN_ERR_IO. */
PEN_CHECKED pen_status pen_new_file_finish(pen_new_file *file, pen_status status);

/* By others: close it. Without a file nothing happens. PEN_ERR_IO. */
PEN_CHECKED pen_status pen_new_file_leave(pen_new_file *file);

/* How long a name is without what files are called beside it; 0: it is not the name of such a file. */
size_t pen_new_file_stem(const char *name);

/* Remove what killed programs have left: that file in an open folder, or all files beside a path. A file that somebody
 * still writes, or of which that cannot be told, stays. */
void pen_new_file_sweep_one(int folder, const char *name);
void pen_new_file_sweep(const char *path);

/* A file that is written under its name at once, in place of what is there: its descriptor, or -1 with errno. Nothing
 * that still writes to the old file is found in it. */
int pen_new_file_in_place(const char *path);

/* Whether no new file can take this name: it leads to what is no regular file, or, as /dev/stdout does, to one that a
 * process has open, and a new file would replace the link. */
bool pen_file_is_special(const char *path);

/* Whether an open file is still what has that name. */
bool pen_file_is_at(int file, const char *path);

/* Write `size` bytes at `offset` of an open file, all of them; `path` is its name in messages. After a failure errno
 * says why. PEN_ERR_IO. */
PEN_CHECKED pen_status pen_write_at(int file, const char *path, const void *from, int64_t size, int64_t offset);

/* Bring what was written to an open file to the disk. PEN_ERR_IO. */
PEN_CHECKED pen_status pen_file_sync(int file, const char *path);

/* ---- All ranks ----------------------------------------------------------------------------- */

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
