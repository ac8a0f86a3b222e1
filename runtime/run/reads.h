/* reads.h - the files that a run reads, so that no output replaces one. All Local, for rank 0: its view of the file
 * system counts, and the caller agrees on the result. */
#pragma once

#include "base/part_option.h"
#include "run/app.h"

#include <sys/stat.h>

typedef struct pen_read_file {
    const char *option; /* the option that names the file */
    char *path;         /* as the option names it */
    dev_t device;       /* device and number identify the file under any name */
    ino_t number;
} pen_read_file;

typedef struct pen_reads {
    pen_read_file *of; /* [count] the files */
    int64_t count, room;
    int folder; /* if there are files: the working directory in which they are named, open, or AT_FDCWD */
} pen_reads;

/* An option that names one file to be written; path NULL: it is not given. */
typedef struct pen_written {
    const char *option, *path;
} pen_written;

/* Find the existing files that the options with .reads name, and the application's own options. Any of their texts may
 * name one, as a whole or in a piece ("NAMES:FILE;FILE", "file:PATH", "NAME:key=FILE,..."). `graph` is the path or
 * another origin of the graph, or NULL. Call pen_reads_free also after a failure. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_reads_find(const pen_app *app, pen_option_at *at, const pen_run_options *options,
                                      const char *graph, pen_reads *reads);
void pen_reads_free(pen_reads *reads);

/* List the members with .writes in files[PEN_MOST_WRITTEN]. Returns their number. */
enum { PEN_MOST_WRITTEN = 16 };
int pen_reads_written(pen_option_at *at, const pen_run_options *options, pen_written *files);

/* Check that these files [count] have names, and that none of them, and no name that .output stands for, replaces a
 * file that is read or another one that is written, under any name. PEN_ERR_INPUT, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_reads_check(const pen_reads *reads, const pen_app *app, const pen_run_options *options,
                                       const pen_written *files, int count);

/* Add a file that this option names; a path without a regular file is ignored. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_reads_add(pen_reads *reads, const char *option, const char *path);

/* Whether two paths name files of one existing folder. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_reads_share_folder(const char *a, const char *b, bool *same);

/* Find the files that one text names, as pen_reads_find does; and whether a path is one of them. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_reads_of(const char *text, pen_reads *reads);
bool pen_reads_has(const pen_reads *reads, const char *path);

/* Check that writing a path would not replace a file that is read. `what`, a function or an option, begins the message.
 * PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_reads_spare(const pen_reads *reads, const char *what, const char *path);
