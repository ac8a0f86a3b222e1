/* segments.c - draws the edges of a graph as lines between points. */
#include "output/segments.h"
#include "base/memory.h"

#include <stdlib.h>

static pen_status pack(pen_comm *comm, const pen_store *store, const unsigned char *from, size_t stride, size_t bytes,
                       pen_blocks *send)
{
    int64_t *sizes;
    PEN_TRY(PEN_ALLOC_ZERO(&sizes, comm->size));
    for (int c = 0; c < store->consumer_count; c++)
        sizes[store->consumers[c].rank] = store->consumers[c].count * (int64_t)bytes;
    pen_status status = pen_blocks_open(comm->size, sizes, send);
    unsigned char *to = send->data;
    for (int c = 0; status == PEN_OK && c < store->consumer_count; c++)
        for (pen_lid i = 0; i < store->consumers[c].count; i++, to += bytes)
            memcpy(to, from + (size_t)store->consumers[c].slots[i] * stride, bytes);
    free(sizes);
    return status;
}

pen_status pen_shadows_learn(pen_comm *comm, pen_status mine, const pen_store *store, const unsigned char *from,
                             size_t stride, size_t bytes, unsigned char *shadows)
{
    pen_blocks send = { .count = 0 }, received = { .count = 0 };
    if (mine == PEN_OK) mine = pack(comm, store, from, stride, bytes, &send);
    pen_status status = pen_sparse_exchange(comm, mine, &send, &received);
    if (status == PEN_OK && received.count) memcpy(shadows, received.data, (size_t)received.offsets[received.count]);
    pen_blocks_free(&send);
    pen_blocks_free(&received);
    return status;
}

/* Write the lines of a node to `entries`; NULL: only count them. */
static int64_t draw_node(const pen_store *store, const int64_t *points, pen_lid slot, int64_t *entries)
{
    int64_t count = 0;
    for (uint32_t a = store->rows[slot]; a < store->rows[slot + 1]; a++) {
        const pen_lid other = store->columns[a];
        if (!store->directed && store->gids[other] < store->gids[slot]) continue;
        if (entries) entries[count] = points[other];
        count++;
    }
    return count;
}

pen_status pen_segments_draw(const pen_store *store, const int64_t *points, pen_lists *lists)
{
    int64_t *begins, *entries;
    PEN_TRY(PEN_ALLOC(&begins, (int64_t)store->owned + 1));
    lists->begins = begins;
    begins[0] = 0;
    for (pen_lid s = 0; s < store->owned; s++) begins[s + 1] = begins[s] + draw_node(store, points, s, NULL);
    PEN_TRY(PEN_ALLOC(&entries, begins[store->owned]));
    lists->entries = entries;
    for (pen_lid s = 0; s < store->owned; s++) (void)draw_node(store, points, s, entries + begins[s]);
    return PEN_OK;
}

void pen_segments_forget(pen_lists *lists)
{
    PEN_FREE_ALL(lists->begins, lists->entries);
    *lists = (pen_lists){ .begins = NULL };
}
