/* run_options.h - the options of a run as a program passes them: taken over, checked, compared. `at` lists
 * the options of all runs. */
#pragma once

#include "base/comm.h"
#include "base/part_option.h"

/* Local. Copy the options of a program, and check that numbers are in their ranges. NULL: the defaults.
 * PEN_ERR_ARGUMENT. */
PEN_CHECKED pen_status pen_run_options_adopt(pen_option_at *at, const pen_run_options *theirs, pen_run_options *ours);

/* Collective. pen_agree_equal for all options that must be equal on all ranks. */
PEN_CHECKED pen_status pen_run_options_agree(pen_comm *comm, pen_status mine, pen_option_at *at,
                                             const pen_run_options *options);
