/* lists.h - lists of nodes in a checkpoint: data of parts whose length varies (run/part.h). */
#pragma once

#include "base/bytes.h"
#include "run/parts.h"

/* Local. Append the lists of this rank's nodes, as a chunk has them (state.h). PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_checkpoint_list(const pen_run *run, pen_bytes *to);
