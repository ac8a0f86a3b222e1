/* parts.h - the table of the parts of a run. */
#pragma once

#include "run/part.h"

/* In the order in which their hooks are called; ends with NULL. */
extern const pen_part *const pen_parts[];

/* Local. The options of all runs: those of the core, then those of the parts. */
pen_option_at pen_run_option;
