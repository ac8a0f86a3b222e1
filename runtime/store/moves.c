/* moves.c - nodes move to other ranks. */
#include "base/memory.h"
#include "store/change.h"

#include <stdlib.h>

static pen_status note_moves(pen_change *c, int64_t count, const pen_move *moves)
{
    const pen_store *store = c->before;
    int rank = store->comm->rank;
    PEN_TRY(pen_change_begin(c));
    PEN_TRY(PEN_ALLOC(&c->leaving, count < store->owned ? count : store->owned));
    for (int64_t i = 0; i < count; i++) {
        if (moves[i].to < 0 || moves[i].to >= store->comm->size)
            return pen_fail(PEN_ERR_ARGUMENT, "move of node %" PRIgid " to rank %d, ranks are 0..%d", moves[i].gid,
                            moves[i].to, store->comm->size - 1);
        const uint64_t *found = moves[i].gid >= 0 ? pen_pages_find(store->slot_of, moves[i].gid) : NULL;
        if (!found || *found >= (uint64_t)store->owned)
            return pen_fail(PEN_ERR_ARGUMENT, "move of node %" PRIgid ", which rank %d does not own", moves[i].gid,
                            rank);
        if (moves[i].to == rank) continue;
        if (c->owner[*found] != rank) return pen_fail(PEN_ERR_ARGUMENT, "two moves of node %" PRIgid, moves[i].gid);
        pen_change_leaves(c, (pen_lid)*found, moves[i].to);
    }
    if (c->left > 0) qsort(c->leaving, (size_t)c->left, sizeof *c->leaving, pen_by_int32);
    return PEN_OK;
}

static void pack_row(const pen_change *c, pen_lid slot, int64_t *record)
{
    const pen_store *store = c->before;
    uint32_t first = store->rows[slot];
    int64_t degree = (int64_t)store->rows[slot + 1] - first;
    record[0] = store->gids[slot];
    record[1] = degree;
    int64_t *words = record + PEN_ROW_NEIGHBORS_AT;
    for (int64_t j = 0; j < degree; j++) {
        words[j] = store->gids[store->columns[first + j]];
        words[degree + j] = c->owner[store->columns[first + j]];
    }
    if (store->edge_weights) memcpy(words + 2 * degree, store->edge_weights + first, (size_t)degree * sizeof(int64_t));
    unsigned char *edges = (unsigned char *)(record + pen_row_edges_at(&c->format, degree));
    for (int e = 0; e < store->edge_field_count; e++) {
        size_t size = store->edge_sizes[e], bytes = (size_t)degree * size;
        memcpy(edges, (const unsigned char *)store->edges[e] + (size_t)first * size, bytes);
        edges += bytes;
    }
    pen_change_pack_node(c, slot, record);
}

static pen_status pack_rows(const pen_change *c, pen_blocks *send)
{
    const pen_store *store = c->before;
    int64_t *bytes; /* as long as the communicator, and only where something moves */
    if (c->left == 0) return PEN_OK;
    PEN_TRY(PEN_ALLOC_ZERO(&bytes, store->comm->size));
    for (pen_lid i = 0; i < c->left; i++) {
        pen_lid s = c->leaving[i];
        bytes[c->owner[s]] += 8 * pen_row_words(&c->format, (int64_t)store->rows[s + 1] - store->rows[s]);
    }
    pen_status status = pen_blocks_open(store->comm->size, bytes, send);
    for (pen_lid i = 0; status == PEN_OK && i < c->left; i++) {
        pen_lid s = c->leaving[i];
        pack_row(c, s, (int64_t *)(void *)(send->data + bytes[c->owner[s]]));
        bytes[c->owner[s]] += 8 * pen_row_words(&c->format, (int64_t)store->rows[s + 1] - store->rows[s]);
    }
    free(bytes);
    return status;
}

static pen_status ship(pen_change *c)
{
    pen_blocks send = { 0 };
    pen_status status = pack_rows(c, &send);
    c->bytes = send.count ? send.offsets[send.count] : 0;
    status = pen_sparse_exchange(c->before->comm, status, &send, &c->arriving.blocks);
    pen_blocks_free(&send);
    return status == PEN_OK ? pen_agree(c->before->comm, pen_rows_index(&c->arriving)) : status;
}

pen_status pen_change_moves(pen_store *store, pen_status mine, int64_t count, const pen_move *moves, pen_change *c)
{
    *c = (pen_change){ .before = store };
    if (mine == PEN_OK) mine = note_moves(c, count, moves);
    int64_t concerned = mine != PEN_OK || c->left > 0, any = 0;
    pen_status status = pen_max_int(store->comm, concerned, &any);
    if (status != PEN_OK || !any) {
        pen_change_undo(c);
        return status;
    }
    mine = pen_change_send_updates(c, mine);
    if (mine == PEN_OK) mine = ship(c);
    if (mine == PEN_OK) mine = pen_change_place(c);
    if (mine != PEN_OK) pen_change_undo(c);
    return mine;
}
