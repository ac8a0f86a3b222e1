/* steer_state.h - what steering knows of the steps so far, for checkpoints. */
#pragma once

#include "base/coder.h"
#include "steer/steer.h"

/* The version of the format of pen_steer_code and then pen_steer_facts_code, which penumbra-checkpoint-1.txt describes.
 * Increase it with any change of the format. */
enum { PEN_STEER_MEMORY_VERSION = 5 };

/* Local. Whether a state of this version follows. PEN_ERR_UNSUPPORTED: another version. */
PEN_CHECKED pen_status pen_steer_code_version(pen_coder *coder, bool *there);

/* Local. All that is equal on all ranks, but for settings, which are there; when the last look was is now, by
 * `seconds`. What a rank expects of its own load is `expected`, apart. Reading fails with
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_steer_code(pen_coder *coder, pen_steer *steer, double seconds);

/* Local. The last known facts of a step. */
void pen_steer_facts_code(pen_coder *coder, pen_steer_facts *facts);
