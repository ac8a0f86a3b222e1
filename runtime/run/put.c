/* put.c - writes the records of any nodes, from any rank, between steps.
 *
 * The records are stored into the current plane, and shadows are pulled there: during that pull the plane counts as the
 * next one. This cannot disturb readers. When the last agreement ends, all ranks have left all phases, so no rank reads
 * that plane (WAR); and the pull publishes and acquires like that of a phase (RAW). The next phase stores into the
 * other plane, which no rank has read since the previous pull, as usual. */
#include "base/memory.h"
#include "base/sparse.h"
#include "run/observables.h"
#include "run/state.h"

#include <stdlib.h>

/* Records on their way to the owners of their nodes: each is a gid, then the record. */
typedef struct delivery {
    size_t stride;
    int32_t *owners;       /* [count] owners of the nodes */
    unsigned char *packed; /* [count*stride] gids and records to send */
    pen_blocks send, received;
    int64_t arrived;
    pen_lid *slots;    /* [arrived] slots of the nodes */
    pen_lid *of_slots; /* [arrived] the same slots, ascending */
} delivery;

static pen_status check(const pen_run *run, int field, int64_t count, const pen_gid *gids, const void *records)
{
    PEN_ARGUMENT(field >= 0 && field < pen_app_own_fields(run->app), "put of field %d, there are %d", field,
                 pen_app_own_fields(run->app));
    PEN_ARGUMENT(count >= 0, "put of %" PRId64 " nodes, must be >= 0", count);
    PEN_ARGUMENT(count == 0 || (gids && records), "a put needs gids and records");
    for (int64_t i = 0; i < count; i++) PEN_ARGUMENT(gids[i] >= 0, "put of gid %" PRIgid ", must be >= 0", gids[i]);
    return PEN_OK;
}

/* Collective. Find the owners. Own nodes are known here; the directory is asked for the others. */
static pen_status find_owners(pen_run *run, pen_status mine, int64_t count, const pen_gid *gids, int32_t *owners)
{
    const pen_store *store = run->store;
    uint64_t *slots = NULL;
    pen_gid *others = NULL;
    int32_t *theirs = NULL;
    int64_t unknown = 0, at = 0;
    if (mine == PEN_OK) mine = PEN_ALLOC(&slots, count);
    if (mine == PEN_OK) mine = PEN_ALLOC(&others, count);
    if (mine == PEN_OK) mine = PEN_ALLOC(&theirs, count);
    if (mine == PEN_OK) {
        pen_pages_find_all(store->slot_of, count, gids, slots);
        for (int64_t i = 0; i < count; i++)
            if (slots[i] >= (uint64_t)store->owned) others[unknown++] = gids[i];
    }
    mine = pen_directory_resolve_with(store->directory, mine, unknown, others, theirs);
    for (int64_t i = 0; mine == PEN_OK && i < count; i++) {
        owners[i] = slots[i] < (uint64_t)store->owned ? store->comm->rank : theirs[at++];
        if (owners[i] == PEN_OWNER_UNKNOWN)
            mine = pen_fail(PEN_ERR_ARGUMENT, "put of gid %" PRIgid ", which no node has", gids[i]);
    }
    PEN_FREE_ALL(slots, others, theirs);
    return mine;
}

static pen_status pack(delivery *d, int64_t count, const pen_gid *gids, const void *records)
{
    size_t size = d->stride - sizeof *gids;
    PEN_TRY(pen_alloc(&d->packed, count, d->stride));
    for (int64_t i = 0; i < count; i++) {
        unsigned char *to = d->packed + (size_t)i * d->stride;
        memcpy(to, &gids[i], sizeof *gids);
        memcpy(to + sizeof *gids, (const unsigned char *)records + (size_t)i * size, size);
    }
    return pen_blocks_group(count, d->owners, d->packed, d->stride, &d->send, NULL);
}

/* Find the slots of the arrived records, and check that each node occurs once. */
static pen_status match(const pen_run *run, delivery *d)
{
    d->arrived = pen_blocks_bytes(&d->received) / (int64_t)d->stride;
    PEN_TRY(PEN_ALLOC(&d->slots, d->arrived));
    PEN_TRY(PEN_ALLOC(&d->of_slots, d->arrived));
    for (int64_t i = 0; i < d->arrived; i++) {
        pen_gid gid;
        memcpy(&gid, d->received.data + (size_t)i * d->stride, sizeof gid);
        d->slots[i] = d->of_slots[i] = pen_store_slot(run->store, gid);
        if (d->slots[i] < 0) return pen_store_not_owner(run->store, gid);
    }
    if (d->arrived) qsort(d->of_slots, (size_t)d->arrived, sizeof *d->of_slots, pen_by_int32);
    for (int64_t i = 1; i < d->arrived; i++)
        PEN_ARGUMENT(d->of_slots[i - 1] != d->of_slots[i], "put of gid %" PRIgid ", twice",
                     run->store->gids[d->of_slots[i]]);
    return PEN_OK;
}

/* Collective. Do everything that can fail: agree on the field, find owners, send, and find slots. */
static pen_status deliver(pen_run *run, pen_status mine, int field, int64_t count, const pen_gid *gids,
                          const void *records, delivery *d)
{
    const pen_transport *transport = run->halo->transport;
    PEN_TRY(pen_agree_equal(run->comm, mine, &(pen_argument){ "field", NULL, field }, 1));
    mine = PEN_ALLOC(&d->owners, count);
    mine = find_owners(run, mine, count, gids, d->owners);
    if (mine == PEN_OK) mine = pack(d, count, gids, records);
    mine = pen_sparse_exchange(run->comm, mine, &d->send, &d->received);
    if (mine == PEN_OK) mine = match(run, d);
    if (transport->far_order) transport->far_order(run->halo, run->store->window.mpi);
    mine = pen_agree(run->comm, mine);
    if (transport->far_order) transport->far_order(run->halo, run->store->window.mpi);
    return mine;
}

static void store_records(pen_run *run, int field, const delivery *d)
{
    size_t size = run->store->sizes[field];
    unsigned char *plane = pen_store_plane(run->store, field, 0);
    for (int64_t i = 0; i < d->arrived; i++)
        memcpy(plane + (size_t)d->slots[i] * size, d->received.data + (size_t)i * d->stride + sizeof(pen_gid), size);
    if (!run->strict) return;
    /* Mark all of these records as written. */
    plane = pen_store_plane(run->store, run->app->fields.count + field, 0);
    for (int64_t i = 0; i < d->arrived; i++) memset(plane + (size_t)d->slots[i] * size, 0, size);
}

pen_status pen_run_put(pen_run *run, int field, int64_t count, const pen_gid *gids, const void *records)
{
    PEN_WITHIN("pen_run_put");
    PEN_TRY(pen_run_ready(run, "pen_run_put"));
    delivery d = { .stride = 0 };
    pen_status status = check(run, field, count, gids, records);
    if (status == PEN_OK) d.stride = sizeof(pen_gid) + run->store->sizes[field];
    status = deliver(run, status, field, count, gids, records, &d);
    if (status == PEN_OK) {
        store_records(run, field, &d);
        if (pen_app_reads(run->app) >> field & 1) pen_run_pull(run, pen_bit(field));
        run->changed.put = true;
        run->renewed++;
        if (run->step == 0 && run->phase == 0) status = pen_observables_of_start(run);
    }
    PEN_FREE_ALL(d.owners, d.packed, d.slots, d.of_slots);
    pen_blocks_free(&d.send);
    pen_blocks_free(&d.received);
    return status;
}
