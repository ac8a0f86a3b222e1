/* migrate.c - the part that moves nodes to random ranks before each step: a test that results depend on no owner. */
#include "base/hash.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/options.h"
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

static pen_status open_migration(pen_run *run, void *state, const pen_run_options *options)
{
    const pen_test_options *tests = options->debug.tests;
    *(migration *)state = (migration){ tests->migrate_seed, tests->migrate_part };
    return PEN_OK;
}

static pen_status migrate(pen_run *run, void *state)
{
    const migration *m = state;
    return pen_run_migrate_random(run, m->seed, m->fraction);
}

static pen_status read_migration(char *text, pen_run_options *o)
{
    char seed[32];
    const char *part = pen_text_cut(text, ':', seed, sizeof seed);
    int64_t number;
    pen_test_options *to = o->debug.tests;
    to->migrate_part = 0.1;
    bool right = pen_parse_int(seed, &number) && (!part || pen_parse_real(part, &to->migrate_part));
    if (!right || to->migrate_part < 0.0 || to->migrate_part > 1.0)
        return pen_fail(PEN_ERR_INPUT, "--migrate-random=%s: must be SEED or SEED:PART with PART from 0 to 1", text);
    to->migrate_seed = (uint64_t)number;
    return PEN_OK;
}

static const pen_part_option options_of_random_migration[] = {
    { "migrate-random", "SEED[:PART]", "before every step, move this part (0.1) of the nodes to random ranks",
      PEN_OPTION_OF_TESTS(migrate_part), .high = 1.0, .range = "from 0 to 1", .read = read_migration },
    { PEN_OPTION_OF_TESTS(migrate_seed) },
    { .name = NULL },
};

const pen_part pen_part_random_migration = {
    .name = "random migration",
    .state_size = sizeof(migration),
    .options = options_of_random_migration,
    .first_decides = true,
    .moves = true,
    .open = open_migration,
    .before_step = migrate,
};
