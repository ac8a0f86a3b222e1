/* frames.h - files with values of nodes that belong together, one after the other in time. All Local. */
#ifndef PEN_FRAMES_H
#define PEN_FRAMES_H

#include "base/memory.h"

typedef struct frame_list {
    char **paths; /* [count] */
    int64_t count;
} frame_list;

/* The file itself; or, in a folder, the files whose names end in digits and an ending ("heat-000100.npy"), and
 * but for digits are the same; or what a pattern with '*' matches. They ascend by the numbers in their names.
 * pen_frames_free, also after a failure. PEN_ERR_INPUT where nothing is there, or in a folder are several series;
 * PEN_ERR_IO, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_frames_find(const char *path, frame_list *frames);
void pen_frames_free(frame_list *frames);

/* "FILE[:COLUMN]" as path and column, in a copy that the caller frees: a column begins behind the last colon, unless
 * the whole is what a file is called. *column: within the copy, NULL where none is said. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_frames_split(const char *words, char **path, const char **column);

#endif
