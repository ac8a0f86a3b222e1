/* machine_generate.h - machines by name (machine.h). */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

/* Local. The machine that `spec` generates, for `parts` parts: where it does not say how many processors there are, as
 * many; of more the first ones. 0: all that it says. PEN_ERR_INPUT (bad settings, with the known ones; fewer processors
 * than parts; neither says how many), PEN_ERR_UNSUPPORTED (more than 2^30 processors), PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_machine_generate(const char *spec, int parts, pen_machine **machine);

/* Local. Say how machines are named, and what their text is. */
void pen_machine_list(FILE *out);
