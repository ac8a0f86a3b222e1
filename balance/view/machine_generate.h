/* machine_generate.h - generates machines by their names (machine.h). */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

/* Local. Generate the machine `spec` for `parts` parts. If it does not give the number of processors, it has `parts`
 * ones; if it gives more, the first ones are taken. parts 0: all processors of `spec`. PEN_ERR_INPUT (bad settings,
 * with the known ones; fewer processors than parts; no number at all), PEN_ERR_UNSUPPORTED (more than 2^30 processors),
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_machine_generate(const char *spec, int parts, pen_machine **machine);

/* Local. Print the names of machines, and the format of their text. */
void pen_machine_list(FILE *out);
