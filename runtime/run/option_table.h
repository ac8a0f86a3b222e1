/* option_table.h - the options of the core. */
#pragma once

#include "base/part_option.h"

extern const pen_part_option pen_core_options[];
