/* generators.h - the list of the generators. */
#pragma once

#include "base/status.h"

/* Local. Print the table of `--list=generators`: kinds, settings, summaries. */
void pen_generators_list(FILE *out);
