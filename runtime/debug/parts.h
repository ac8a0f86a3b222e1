/* parts.h - the parts that look for mistakes (pen_debug_options). */
#pragma once

#include "run/state.h"

extern const pen_part pen_part_watchdog, pen_part_network_delay, pen_part_random_migration, pen_part_trace;
