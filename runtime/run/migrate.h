/* migrate.h - nodes of a run change owner between two steps: a change (change.h) that is made of moves. */
#pragma once

#include "run/state.h"
#include <penumbra_plugin.h>

/* Collective. Carry out moves of this rank's nodes, its status so far being `mine`. On failure, the same on all
 * ranks, nothing has changed. Errors: as pen_change_moves and pen_run_carry_out. */
PEN_CHECKED pen_status pen_run_migrate(pen_run *run, pen_status mine, int64_t count, const pen_move *moves);

/* Local. What "SEED[:PART]" says. PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_migration_read(const char *text, uint64_t *seed, double *fraction);

/* Collective. Move about run->migration_fraction of all nodes to random ranks; which, is a function of
 * run->migration_seed, step and gid. */
PEN_CHECKED pen_status pen_run_migrate_random(pen_run *run);
