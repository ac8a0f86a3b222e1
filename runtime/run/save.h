/* save.h - a run's state in a checkpoint. */
#ifndef PEN_SAVE_H
#define PEN_SAVE_H

#include "checkpoint/place.h"
#include "run/state.h"

/* Collective, between steps. Write the run, as it is, as the generation of its step (checkpoint/place.h). *bytes is its
 * size. Errors: PEN_ERR_IO; PEN_ERR_UNSUPPORTED (the graph has no nodes left); PEN_ERR_MEMORY,
 * PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_save(pen_run *run, const pen_place *place, int64_t *bytes);

#endif
