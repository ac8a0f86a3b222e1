/* checkpoint_write.h - a run's state in a checkpoint. */
#pragma once

#include "checkpoint/location.h"
#include "run/state.h"

/* Collective, between steps. Write the run, as it is, as the generation of its step (checkpoint/location.h). *bytes is
 * its size. Errors: PEN_ERR_IO; PEN_ERR_UNSUPPORTED (the graph has no nodes left); PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_checkpoint_state_write(pen_run *run, const pen_location *place, int64_t *bytes);
