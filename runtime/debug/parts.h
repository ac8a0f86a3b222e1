/* parts.h - the parts that look for mistakes (pen_debug_options). */
#pragma once

#include "run/state.h"

/* Collective. Move about `fraction` of all nodes to random ranks. Seed, step and gid determine the moves. Errors: as
 * pen_run_migrate. */
PEN_CHECKED pen_status pen_run_migrate_random(pen_run *run, uint64_t seed, double fraction);

extern const pen_part pen_part_watchdog, pen_part_network_delay, pen_part_random_migration, pen_part_trace;
