/* folder.h - a folder with the checkpoints of one run. Each generation has a file, named after the number of steps,
 * such as step-000000000100.checkpoint. Two generations are kept. The running run holds `lock`. All Local. */
#pragma once

#include "base/per_rank.h"
#include "base/status.h"

typedef struct pen_folder {
    char *path;
    int lock; /* descriptor of the locked file; -1: none */
} pen_folder;

/* Lock a folder, which must exist and be writable. The kernel releases the lock when the process ends in any way. If
 * another run has the lock, wait for 10 seconds at most, since a killed run releases it soon. A file `lock` that is not
 * empty, and does not contain what pen_folder_mark writes, does not change. Errors: PEN_ERR_INPUT (there is no such
 * folder, its `lock` is such a file, or another run writes its checkpoints there), PEN_ERR_IO, PEN_ERR_MEMORY; then
 * *folder is empty. */
PEN_CHECKED pen_status pen_folder_open(const char *path, pen_folder *folder);
void pen_folder_close(pen_folder *folder);

/* The lock contains a word while a run is unfinished, and is empty when the run has ended by itself. This tells
 * pen-keep how a run ended if the launcher does not. PEN_ERR_IO, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_folder_mark(const pen_folder *folder, bool finished);

/* Remove our files from a folder, and the folder unless it has other files. */
void pen_folder_remove(const pen_folder *folder);

/* Make the path of the generation of a step. The caller frees it. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_folder_name(const char *folder, int64_t step, char **path);

/* List the steps of the existing generations, newest first, [*count]. The caller frees the array. PEN_ERR_INPUT (no
 * such folder), PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_folder_list(const char *folder, int64_t **steps, int *count);

/* Whether a name is that of a generation or of the lock. */
bool pen_folder_is_ours(const char *name);

/* Compare two steps, int64_t, for qsort. */
int pen_folder_newest_first(const void *a, const void *b);

/* Remove all generations except these two (-1: none). A file that does not begin like a checkpoint stays. */
void pen_folder_keep(const char *folder, int64_t newest, int64_t before);

/* Warn, in one line, about unfinished files that killed runs have left in the folder. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_folder_tell_left(const char *folder);

/* The longest wait for a lock, in tenths of a second. Tests change it. */
extern PEN_PER_RANK int pen_folder_patience;
