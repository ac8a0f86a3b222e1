/* generators.h - the generators by their names. */
#ifndef PEN_GENERATORS_H
#define PEN_GENERATORS_H

#include "base/status.h"

/* Local. Print the table of `--list=generators`: kinds, settings, summaries. */
void pen_generators_list(FILE *out);

#endif
