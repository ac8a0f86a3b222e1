/* steer_state.h - what steering knows of the steps so far, for checkpoints. The description of their format is
 * tools/package/schema/penumbra-checkpoint-1.txt. */
#pragma once

#include "base/coder.h"
#include "steer/steer.h"

/* Local. All that is equal on all ranks except the settings. Reading sets the time of the last look to `seconds`. A
 * rank's own `expected` is not included. Reading fails with PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_steer_code(pen_coder *coder, pen_steer *steer, double seconds);

/* Local. The last known facts of a step. */
void pen_steer_facts_code(pen_coder *coder, pen_steer_facts *facts);
