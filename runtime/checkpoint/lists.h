/* lists.h - lists of nodes in a checkpoint: data of parts whose length varies (run/part.h). */
#pragma once

#include "checkpoint/resume.h"

/* Local. Append the lists of this rank's nodes, as a chunk has them (state.h). PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_checkpoint_list(const pen_run *run, pen_bytes *to);

/* Collective, when nodes have slots. Bring the lists of the checkpoint to their nodes. PEN_ERR_INPUT (damaged),
 * PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_resume_lists(pen_run *run, const pen_resume *resume);
