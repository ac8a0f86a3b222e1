/* migrate.h - nodes move to random ranks between two steps: a test that results depend on no owner. */
#pragma once

#include "run/state.h"

/* Local. What "SEED[:PART]" says. PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_migration_read(const char *text, uint64_t *seed, double *fraction);

/* Collective. Move about run->migration_fraction of all nodes to random ranks; which, is a function of
 * run->migration_seed, step and gid. */
PEN_CHECKED pen_status pen_run_migrate_random(pen_run *run);
