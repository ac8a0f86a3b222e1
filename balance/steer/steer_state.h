/* steer_state.h - codes the knowledge of steering about past steps, for checkpoints. */
#pragma once

#include "base/coder.h"
#include "steer/steer.h"

/* The version of the format of pen_steer_code and then pen_steer_facts_code, which penumbra-checkpoint-1.txt describes.
 * Increase it with any change of the format. */
enum { PEN_STEER_MEMORY_VERSION = 5 };

/* Local. Code the version. When reading, *follows becomes whether a state follows. PEN_ERR_UNSUPPORTED: another
 * version. */
PEN_CHECKED pen_status pen_steer_code_version(pen_coder *coder, bool *there);

/* Local. Code the state that is equal on all ranks, without settings. The last examination counts as made now, at
 * `seconds`. `expected` is coded separately. Reading fails with PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_steer_code(pen_coder *coder, pen_steer *steer, double seconds);

/* Local. Code the facts of the last step that was examined. */
void pen_steer_facts_code(pen_coder *coder, pen_steer_facts *facts);
