/* fetch.c - records of any nodes, for whoever asks between steps. */
#include "base/memory.h"
#include "run/reach.h"
#include "run/state.h"

#include <stdlib.h>

/* places[i]: below the number of owned nodes a slot, from there on a place among the records that are read. */
static pen_status want(pen_run *run, int64_t count, const pen_gid *gids, pen_lid *places)
{
    enum { TOGETHER = 64, SOONER = 4 }; /* look-ups in a row wait for memory together */
    const pen_store *store = run->store;
    uint64_t slots[TOGETHER];
    pen_reach_begin(run->reach);
    for (int64_t i = 0; i < count; i++) {
        if (i % TOGETHER == 0)
            pen_pages_find_all(store->slot_of, count - i < TOGETHER ? count - i : TOGETHER, gids + i, slots);
        if (i + SOONER < count) pen_reach_prefetch(run->reach, gids[i + SOONER]);
        PEN_ARGUMENT(gids[i] >= 0, "fetch of gid %" PRIgid ", must be >= 0", gids[i]);
        if (slots[i % TOGETHER] < (uint64_t)store->owned) {
            places[i] = (pen_lid)slots[i % TOGETHER];
        } else {
            PEN_TRY(pen_reach_want(run->reach, gids[i], &places[i]));
            PEN_TRY(pen_to_lid((int64_t)store->owned + places[i], "nodes and those fetched", &places[i]));
        }
    }
    return PEN_OK;
}

static pen_status prepare(pen_run *run, int field, int64_t count, const pen_gid *gids, const void *records,
                          const bool *found, pen_lid **places)
{
    PEN_ARGUMENT(field >= 0 && field < pen_app_own_fields(run->app), "fetch of field %d, there are %d", field,
                 pen_app_own_fields(run->app));
    PEN_ARGUMENT(count >= 0, "fetch of %" PRId64 " nodes, must be >= 0", count);
    PEN_ARGUMENT(count == 0 || (gids && records && found), "a fetch needs gids, records and found");
    PEN_TRY(PEN_ALLOC(places, count));
    PEN_TRY(pen_reach_create(run->store->field_count, &run->reach));
    return want(run, count, gids, *places);
}

pen_status pen_run_fetch(pen_run *run, int field, int64_t count, const pen_gid *gids, void *records, bool *found)
{
    PEN_WITHIN("pen_run_fetch");
    pen_lid *places = NULL;
    PEN_TRY(pen_equal_int(run->comm, "field", field));
    pen_status status = prepare(run, field, count, gids, records, found, &places);
    status = pen_reach_read(run->halo, run->reach, status, status == PEN_OK ? PEN_FIELD(field) : 0);
    pen_lid owned = run->store->owned;
    if (status == PEN_OK)
        for (int64_t i = 0; i < count; i++) {
            const pen_reach *reach = run->reach;
            size_t size = run->store->sizes[field];
            found[i] = places[i] < owned || pen_reach_found(reach, places[i] - owned);
            if (!found[i]) continue;
            memcpy((unsigned char *)records + (size_t)i * size,
                   places[i] < owned
                       ? pen_store_plane(run->store, field, 0) + (size_t)places[i] * size
                       : (const unsigned char *)reach->records[field] + (size_t)(places[i] - owned) * size,
                   size);
        }
    free(places);
    return status;
}
