/* steer_state.h - codes the knowledge of steering about past steps, for checkpoints.
 * tools/package/schema/penumbra-checkpoint-1.txt describes their format. */
#pragma once

#include "base/coder.h"
#include "steer/steer.h"

/* Local. Code the state that is equal on all ranks, without settings. When reading, the last examination counts as made
 * at `seconds`. `expected` is not included, since each rank has its own. Reading fails with PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_steer_code(pen_coder *coder, pen_steer *steer, double seconds);

/* Local. Code the facts of the last step that was examined. */
void pen_steer_facts_code(pen_coder *coder, pen_steer_facts *facts);
