/* create_store.c - makes a store from a graph in any distribution over the ranks. */
#include "store/create_store.h"
#include "base/memory.h"
#include "store/place.h"

#include <stdlib.h>

/* Collective. Register this rank as the owner of these nodes in the directory. */
static pen_status announce(pen_store *store, const pen_rows *rows)
{
    pen_gid *gids = NULL;
    int32_t *owners = NULL;
    pen_status status = PEN_ALLOC(&gids, rows->count);
    if (status == PEN_OK) status = PEN_ALLOC(&owners, rows->count);
    for (pen_lid i = 0; status == PEN_OK && i < rows->count; i++) {
        gids[i] = pen_row_gid(rows->records[i]);
        owners[i] = store->comm->rank;
    }
    status = pen_directory_update_with(store->directory, status, rows->count, gids, owners, NULL);
    PEN_FREE_ALL(gids, owners);
    return status;
}

/* Count how often this rank's nodes read each slot. The counts of shadows go to their owners, which have them in the
 * same order. */
static pen_status count_readings(const pen_store *store, int32_t *readings, pen_blocks *send)
{
    const int32_t *next = readings + store->owned;
    for (uint32_t a = 0; a < store->rows[store->owned]; a++) readings[store->columns[a]]++;
    PEN_TRY(PEN_ALLOC(&send->ranks, store->producer_count));
    PEN_TRY(PEN_ALLOC_ZERO(&send->offsets, (int64_t)store->producer_count + 1));
    PEN_TRY(pen_alloc(&send->data, store->shadows, sizeof *readings));
    memcpy(send->data, next, (size_t)store->shadows * sizeof *readings);
    for (int p = 0; p < store->producer_count; p++) {
        send->ranks[p] = store->producers[p].rank;
        send->offsets[p + 1] = send->offsets[p] + store->producers[p].count * (int64_t)sizeof *readings;
    }
    send->count = store->producer_count;
    return PEN_OK;
}

static pen_status add_readings(pen_store *store, const int32_t *own, const pen_blocks *heard)
{
    PEN_TRY(pen_store_array(store, PEN_READERS, store->owned, sizeof *store->readers, false, &store->readers));
    memcpy(store->readers, own, (size_t)store->owned * sizeof *own);
    for (int c = 0; c < store->consumer_count; c++) {
        const int32_t *told = (const int32_t *)(const void *)(heard->data + heard->offsets[c]);
        for (pen_lid i = 0; i < store->consumers[c].count; i++) {
            int32_t *readers = &store->readers[store->consumers[c].slots[i]];
            if (*readers > INT32_MAX - told[i])
                return pen_fail(PEN_ERR_UNSUPPORTED, "node %" PRIgid " is read by more than %d nodes",
                                store->gids[store->consumers[c].slots[i]], INT32_MAX);
            *readers += told[i];
        }
    }
    return PEN_OK;
}

pen_status pen_store_count_readers(pen_store *store)
{
    int32_t *readings = NULL;
    pen_blocks send = { 0 }, heard = { 0 };
    if (!store->directed) return PEN_OK;
    pen_status status = PEN_ALLOC_ZERO(&readings, (int64_t)store->owned + store->shadows);
    if (status == PEN_OK) status = count_readings(store, readings, &send);
    status = pen_sparse_exchange(store->comm, status, &send, &heard);
    if (status == PEN_OK) status = pen_agree(store->comm, add_readings(store, readings, &heard));
    free(readings);
    pen_blocks_free(&send);
    pen_blocks_free(&heard);
    return status;
}

static pen_status fill(pen_store *store, pen_rows *rows)
{
    PEN_TRY(pen_directory_create_within(store->comm, rows->count, &store->directory));
    PEN_TRY(announce(store, rows));
    pen_placing placing = { .store = store, .rows = rows };
    pen_status status = pen_place_nodes(&placing);
    if (status == PEN_OK) pen_place_settle(&placing);
    pen_placing_free(&placing);
    return status;
}

pen_status pen_store_create(pen_comm *comm, const pen_graph *graph, const int32_t *owner, pen_order order,
                            const pen_field *fields, int field_count, pen_store **store)
{
    pen_store *s = NULL;
    pen_status status = pen_agree(comm, pen_store_new(comm, fields, field_count, &s));
    if (status == PEN_OK) {
        pen_rows rows;
        s->directed = graph->directed;
        s->dimensions = graph->dimensions;
        s->grid = pen_graph_world(graph);
        s->ordering = (pen_ordering){ .asked = order };
        status = pen_rows_ship(comm, graph, owner, &rows);
        if (status == PEN_OK) {
            status = fill(s, &rows);
            if (status == PEN_OK) status = pen_store_count_readers(s);
            pen_rows_free(&rows);
        }
    }
    if (status != PEN_OK) {
        pen_store_destroy(&s);
        return status;
    }
    *store = s;
    return PEN_OK;
}
