#include "run/migrate.h"
#include "base/hash.h"
#include "base/memory.h"
#include "run/apply_change.h"
#include "run/balance.h"

#include <stdlib.h>

pen_status pen_run_migrate_random(pen_run *run)
{
    const pen_store *store = run->store;
    pen_move *moves = NULL;
    pen_status status = PEN_ALLOC(&moves, store->owned);
    int64_t count = 0;
    if (status == PEN_OK)
        for (pen_lid s = 0; s < store->owned; s++) {
            uint64_t hash = pen_mix(pen_mix(run->migration_seed ^ pen_mix((uint64_t)run->step)) ^
                                    (uint64_t)store->gids[s]);
            if (pen_unit_real(hash) >= run->migration_fraction) continue;
            moves[count++] = (pen_move){ store->gids[s],
                                         (int32_t)pen_hash_range(pen_mix(hash), (uint64_t)run->comm->size) };
        }
    if (run->balance) pen_balance_choose_notes(run);
    status = pen_run_migrate(run, status, count, moves);
    free(moves);
    return status;
}
