/* option_table.h - the options of a run. */
#pragma once

#include "base/part_option.h"

/* Local. The options of all runs: those of the core, then those of parts. */
pen_option_at pen_run_option;
