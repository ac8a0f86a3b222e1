/* migrate.h - nodes move to random ranks between two steps: a test that results depend on no owner. */
#pragma once

#include "run/state.h"

/* Collective. Move about run->migration_fraction of all nodes to random ranks; which, is a function of
 * run->migration_seed, step and gid. */
PEN_CHECKED pen_status pen_run_migrate_random(pen_run *run);
