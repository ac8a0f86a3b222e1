#include "run/migrate.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/options.h"
#include "run/loads.h"
#include "run/reach.h"
#include "store/migrate.h"

#include <stdlib.h>

/* The new store and halo take the places of the old ones; from here on nothing fails. */
static void adopt(pen_run *run, pen_store *store, pen_halo *halo)
{
    pen_halo_take_over(halo, &run->halo);
    run->halo = halo;
    pen_store_destroy(&run->store);
    run->store = store;
    pen_run_bind(run);
    uint64_t reads = pen_run_carried(run, pen_app_reads(run->app));
    if (reads) {
        halo->transport->begin(halo, reads);
        halo->transport->end(halo, reads);
    }
    pen_run_flip(run, pen_app_fields(run->app));
}

pen_status pen_run_migrate(pen_run *run, pen_status mine, int64_t count, const pen_move *moves)
{
    pen_migration migration;
    pen_halo *halo = NULL;
    PEN_TRY(pen_migration_prepare(run->store, mine, count, moves, &migration));
    if (!migration.after) return PEN_OK; /* nobody moves anything */
    double *loads = NULL;
    pen_status status = run->loads ? pen_agree(run->comm, pen_loads_room(migration.after->owned, &loads)) : PEN_OK;
    if (status == PEN_OK) status = pen_halo_succeed(run->halo, migration.after, &halo);
    if (status == PEN_OK) status = pen_migration_announce(&migration);
    if (status != PEN_OK) {
        free(loads);
        pen_halo_destroy(&halo);
        pen_migration_undo(&migration);
        return status;
    }
    pen_store *after = migration.after;
    run->shipped += migration.bytes;
    pen_migration_commit(&migration);
    if (run->loads) pen_loads_moved(run->loads, after->owned, loads);
    pen_reach_destroy(&run->reach);
    adopt(run, after, halo);
    return PEN_OK;
}

pen_status pen_migration_read(const char *text, uint64_t *seed, double *fraction)
{
    char piece[32];
    const char *part = pen_text_cut(text, ':', piece, sizeof piece);
    int64_t number;
    *fraction = 0.1;
    bool right = pen_parse_int(piece, &number) && (!part || pen_parse_real(part, fraction));
    if (!right || *fraction < 0.0 || *fraction > 1.0)
        return pen_fail(PEN_ERR_INPUT, "--migrate-random=%s: it is SEED or SEED:PART, PART from 0 to 1", text);
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
            if (pen_hash_real(hash) >= run->migration_fraction) continue;
            moves[count++] = (pen_move){ store->gids[s],
                                         (int32_t)pen_hash_range(pen_mix(hash), (uint64_t)run->comm->size) };
        }
    status = pen_run_migrate(run, status, count, moves);
    free(moves);
    return status;
}
