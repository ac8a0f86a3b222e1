/* save.h - a run's state in a checkpoint. */
#ifndef PEN_SAVE_H
#define PEN_SAVE_H

#include "run/state.h"

/* Collective, between steps. Write the run, as it is, to a file that appears under its name when it is on the disk.
 * *bytes is its size. Errors: PEN_ERR_IO; PEN_ERR_UNSUPPORTED (the graph has no nodes left); PEN_ERR_MEMORY,
 * PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_save(pen_run *run, const char *path, int64_t *bytes);

#endif
