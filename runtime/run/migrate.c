#include "run/migrate.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/options.h"
#include "run/apply_change.h"

#include <stdlib.h>

pen_status pen_migration_read(const char *text, uint64_t *seed, double *fraction)
{
    char piece[32];
    const char *part = pen_text_cut(text, ':', piece, sizeof piece);
    int64_t number;
    *fraction = 0.1;
    bool right = pen_parse_int(piece, &number) && (!part || pen_parse_real(part, fraction));
    if (!right || *fraction < 0.0 || *fraction > 1.0)
        return pen_fail(PEN_ERR_INPUT, "--migrate-random=%s: must be SEED or SEED:PART with PART from 0 to 1", text);
    *seed = (uint64_t)number;
    return PEN_OK;
}

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
    status = pen_run_migrate(run, status, count, moves);
    free(moves);
    return status;
}
