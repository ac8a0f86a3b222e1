/* migrate.c - the part that moves nodes to random ranks before each step: a test that results depend on no owner. */
#include "base/hash.h"
#include "base/memory.h"
#include "debug/parts.h"
#include "run/apply_change.h"

#include <stdlib.h>

pen_status pen_run_migrate_random(pen_run *run, uint64_t seed, double fraction)
{
    const pen_store *store = run->store;
    pen_move *moves = NULL;
    pen_status status = PEN_ALLOC(&moves, store->owned);
    int64_t count = 0;
    for (pen_lid s = 0; status == PEN_OK && s < store->owned; s++) {
        uint64_t hash = pen_mix(pen_mix(seed ^ pen_mix((uint64_t)run->step)) ^ (uint64_t)store->gids[s]);
        if (pen_unit_real(hash) >= fraction) continue;
        moves[count++] = (pen_move){ store->gids[s],
                                     (int32_t)pen_hash_range(pen_mix(hash), (uint64_t)run->comm->size) };
    }
    status = pen_run_migrate(run, status, count, moves);
    free(moves);
    return status;
}

/* ---- The part ----------------------------------------------------------------------------------- */

typedef struct migration {
    uint64_t seed;
    double fraction; /* part of all nodes that moves before each step */
} migration;

static bool wanted(const pen_app *app, const pen_run_options *options)
{
    (void)app;
    return options->debug.migrate_part > 0.0;
}

static pen_status open_migration(pen_run *run, void *state, const pen_run_options *options)
{
    (void)run;
    *(migration *)state = (migration){ options->debug.migrate_seed, options->debug.migrate_part };
    return PEN_OK;
}

static pen_status migrate(pen_run *run, void *state)
{
    const migration *m = state;
    return pen_run_migrate_random(run, m->seed, m->fraction);
}

const pen_part pen_part_random_migration = {
    .name = "random migration",
    .state_size = sizeof(migration),
    .wanted = wanted,
    .open = open_migration,
    .before_step = migrate,
};
