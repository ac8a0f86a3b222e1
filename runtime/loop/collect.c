/* collect.c - helpers for an application's own output: all nodes' records on rank 0, and the memory in use. */
#include "base/memory.h"
#include "base/resident.h"
#include "base/sparse.h"
#include "strict/strict.h"

#include <stdlib.h>

/* Bytes of a node in a message: its gid, then its record. */
static size_t packed_size(size_t record) { return sizeof(pen_gid) + record; }

static pen_status pack(const pen_run *run, int field, pen_blocks *blocks)
{
    const pen_store *store = run->store;
    size_t size = store->sizes[field], stride = packed_size(size);
    const unsigned char *records = pen_store_plane(store, field, 0);
    int64_t bytes = store->owned * (int64_t)stride;
    PEN_TRY(pen_blocks_open(1, &bytes, blocks));
    for (pen_lid slot = 0; slot < store->owned; slot++) {
        unsigned char *to = blocks->data + (size_t)slot * stride;
        memcpy(to, &store->gids[slot], sizeof(pen_gid));
        memcpy(to + sizeof(pen_gid), records + (size_t)slot * size, size);
    }
    return PEN_OK;
}

typedef struct arrival {
    pen_gid gid; /* the first member, since entries are sorted by it */
    int32_t owner;
    const unsigned char *record;
} arrival;

static pen_status unpack(const pen_blocks *received, size_t size, pen_records *g)
{
    size_t stride = packed_size(size);
    int64_t count = received->count ? received->offsets[received->count] / (int64_t)stride : 0, at = 0;
    arrival *sorted;
    PEN_TRY(PEN_ALLOC(&sorted, count));
    for (int b = 0; b < received->count; b++)
        for (int64_t i = received->offsets[b]; i < received->offsets[b + 1]; i += (int64_t)stride, at++) {
            memcpy(&sorted[at].gid, received->data + i, sizeof(pen_gid));
            sorted[at].owner = received->ranks[b];
            sorted[at].record = received->data + i + sizeof(pen_gid);
        }
    if (count) qsort(sorted, (size_t)count, sizeof *sorted, pen_by_gid);
    pen_status status = PEN_ALLOC(&g->gids, count);
    if (status == PEN_OK) status = PEN_ALLOC(&g->owners, count);
    if (status == PEN_OK) status = pen_alloc(&g->records, count, size);
    if (status == PEN_OK)
        for (int64_t i = 0; i < count; i++) {
            g->gids[i] = sorted[i].gid;
            g->owners[i] = sorted[i].owner;
            memcpy((unsigned char *)g->records + (size_t)i * size, sorted[i].record, size);
        }
    g->count = count;
    free(sorted);
    return status;
}

pen_status pen_run_gather(pen_run *run, int field, pen_records *gathered)
{
    PEN_WITHIN("pen_run_gather");
    PEN_TRY(pen_run_ready(run, "pen_run_gather"));
    const pen_status given = pen_given(gathered, "the records");
    PEN_TRY(pen_agree_equal(run->comm, given, &(pen_argument){ "field", NULL, field }, 1));
    PEN_ARGUMENT(field >= 0 && field < pen_app_own_fields(run->app), "field %d, must be 0..%d", field,
                 pen_app_own_fields(run->app) - 1);
    *gathered = (pen_records){ .count = 0 };
    if (run->strict) PEN_TRY(pen_strict_gather(run, field));
    pen_blocks send = { .count = 0 }, received = { .count = 0 };
    pen_status status = pen_sparse_exchange(run->comm, pack(run, field, &send), &send, &received);
    pen_blocks_free(&send);
    if (status == PEN_OK) status = pen_agree(run->comm, unpack(&received, run->store->sizes[field], gathered));
    pen_blocks_free(&received);
    if (status != PEN_OK) pen_records_free(gathered);
    return status;
}

void pen_records_free(pen_records *gathered)
{
    if (!gathered) return;
    PEN_FREE_ALL(gathered->gids, gathered->owners, gathered->records);
    *gathered = (pen_records){ .count = 0 };
}

pen_status pen_run_memory(pen_run *run, int64_t *bytes)
{
    PEN_WITHIN("pen_run_memory");
    PEN_TRY(pen_run_ready(run, "pen_run_memory"));
    PEN_TRY(pen_agree(run->comm, pen_given(bytes, "the number of bytes")));
    int64_t highest = pen_resident_highest(), known = highest >= 0 && run->origin.resident >= 0;
    /* The kernel updates the maximum late: it can be a little below an earlier value. */
    int64_t mine[2] = { known && highest > run->origin.resident ? highest - run->origin.resident : 0, !known }, all[2];
    PEN_TRY(pen_all_reduce(run->comm, mine, all, 2, MPI_INT64_T, MPI_SUM));
    *bytes = all[1] == 0 ? all[0] : 0;
    return PEN_OK;
}
