/* fetch.c - reads the records of any nodes between steps. */
#include "base/memory.h"
#include "run/reach.h"
#include "strict/strict.h"

#include <stdlib.h>

/* Request the nodes. places[i] is a slot if it is below the number of owned nodes; otherwise, less that number, it is a
 * place among the records that are read. */
static pen_status want(pen_run *run, int64_t count, const pen_gid *gids, pen_lid *places)
{
    enum { TOGETHER = 64, SOONER = 4 }; /* TOGETHER look-ups wait for memory at the same time */
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
                          pen_lid **places)
{
    PEN_ARGUMENT(field >= 0 && field < pen_app_own_fields(run->app), "fetch of field %d, there are %d", field,
                 pen_app_own_fields(run->app));
    PEN_ARGUMENT(count >= 0, "fetch of %" PRId64 " nodes, must be >= 0", count);
    PEN_ARGUMENT(count == 0 || (gids && records), "a fetch needs gids and records");
    PEN_TRY(PEN_ALLOC(places, count));
    PEN_TRY(pen_reach_create(run->store->field_count, &run->reach));
    return want(run, count, gids, *places);
}

/* The record of a field at a place; `field` may also be a field that the library has added. */
static const unsigned char *record_at(const pen_run *run, int field, pen_lid place)
{
    const pen_lid owned = run->store->owned;
    const size_t size = run->store->sizes[field];
    return place < owned ? pen_store_plane(run->store, field, 0) + (size_t)place * size
                         : (const unsigned char *)run->reach->records[field] + (size_t)(place - owned) * size;
}

/* Collective, in the strict mode. Check that the fetched records have been written. */
static pen_status check_fetched(pen_run *run, int field, int64_t count, const pen_gid *gids, const pen_lid *places)
{
    for (int64_t i = 0; i < count; i++)
        if (places[i] < run->store->owned || pen_reach_found(run->reach, places[i] - run->store->owned))
            pen_strict_fetched(run, field, gids[i], record_at(run, run->app->fields.count + field, places[i]));
    return pen_strict_end(run);
}

pen_status pen_run_fetch(pen_run *run, int field, int64_t count, const pen_gid *gids, void *records, bool *found)
{
    PEN_WITHIN("pen_run_fetch");
    PEN_TRY(pen_run_ready(run, "pen_run_fetch"));
    pen_lid *places = NULL;
    pen_status status = prepare(run, field, count, gids, records, &places);
    status = pen_reach_read(run->halo, run->reach, status, status == PEN_OK ? pen_run_carried(run, pen_bit(field)) : 0);
    if (status == PEN_OK && run->strict) status = check_fetched(run, field, count, gids, places);
    pen_lid owned = run->store->owned;
    if (status == PEN_OK)
        for (int64_t i = 0; i < count; i++) {
            size_t size = run->store->sizes[field];
            const bool there = places[i] < owned || pen_reach_found(run->reach, places[i] - owned);
            if (found) found[i] = there;
            if (there) memcpy((unsigned char *)records + (size_t)i * size, record_at(run, field, places[i]), size);
        }
    free(places);
    return status;
}

pen_local pen_run_local(const pen_run *run)
{
    if (!run) return (pen_local){ .count = 0 };
    if (run->strict) pen_strict_local(run);
    return (pen_local){ run->store->owned, run->store->gids, run->view.current };
}
