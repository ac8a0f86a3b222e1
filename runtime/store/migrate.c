#include "store/migrate.h"
#include "base/memory.h"
#include "store/adjacency.h"

#include <stdlib.h>

/* ---- Who leaves ------------------------------------------------------------------------------- */

/* owner[slot] of everything known here, as it is now; then of this rank's nodes as it will be. */
static pen_status note_moves(pen_migration *m, int64_t count, const pen_move *moves)
{
    pen_store *store = m->before;
    int rank = store->comm->rank;
    PEN_TRY(pen_store_array(m->after, PEN_OWNER, (int64_t)store->owned + store->shadows, sizeof *m->owner, true,
                            &m->owner));
    PEN_TRY(PEN_ALLOC(&m->leaving, count < store->owned ? count : store->owned));
    pen_lid slot = 0;
    for (; slot < store->owned; slot++) m->owner[slot] = rank;
    for (int p = 0; p < store->producer_count; p++)
        for (pen_lid i = 0; i < store->producers[p].count; i++) m->owner[slot++] = store->producers[p].rank;
    for (int64_t i = 0; i < count; i++) {
        if (moves[i].to < 0 || moves[i].to >= store->comm->size)
            return pen_fail(PEN_ERR_ARGUMENT, "move of node %" PRIgid " to rank %d, ranks are 0..%d", moves[i].gid,
                            moves[i].to, store->comm->size - 1);
        const uint64_t *found = moves[i].gid >= 0 ? pen_pages_find(store->slot_of, moves[i].gid) : NULL;
        if (!found || *found >= (uint64_t)store->owned)
            return pen_fail(PEN_ERR_ARGUMENT, "move of node %" PRIgid ", which rank %d does not own", moves[i].gid,
                            rank);
        if (moves[i].to == rank) continue;
        if (m->owner[*found] != rank) return pen_fail(PEN_ERR_ARGUMENT, "two moves of node %" PRIgid, moves[i].gid);
        m->owner[*found] = moves[i].to;
        m->leaving[m->moved++] = (pen_lid)*found;
    }
    if (m->moved > 0) qsort(m->leaving, (size_t)m->moved, sizeof *m->leaving, pen_by_int32);
    return PEN_OK;
}

/* ---- Telling those who shadow ------------------------------------------------------------------- */

/* A consumer knows a node by its place among all that it pulls from here. */
typedef struct news {
    int32_t place, to;
} news;

static pen_status pack_news(const pen_migration *m, pen_blocks *send)
{
    const pen_store *store = m->before;
    int64_t total = 0;
    if (m->moved == 0) return PEN_OK;
    for (int c = 0; c < store->consumer_count; c++)
        for (pen_lid i = 0; i < store->consumers[c].count; i++)
            total += m->owner[store->consumers[c].slots[i]] != store->comm->rank;
    PEN_TRY(PEN_ALLOC(&send->ranks, store->consumer_count));
    PEN_TRY(PEN_ALLOC_ZERO(&send->offsets, (int64_t)store->consumer_count + 1));
    PEN_TRY(pen_alloc(&send->data, total, sizeof(news)));
    news *next = (news *)(void *)send->data;
    for (int c = 0; c < store->consumer_count; c++) {
        const news *first = next;
        for (pen_lid i = 0; i < store->consumers[c].count; i++)
            if (m->owner[store->consumers[c].slots[i]] != store->comm->rank)
                *next++ = (news){ i, m->owner[store->consumers[c].slots[i]] };
        if (next == first) continue;
        send->ranks[send->count++] = store->consumers[c].rank;
        send->offsets[send->count] = (next - (news *)(void *)send->data) * (int64_t)sizeof(news);
    }
    return PEN_OK;
}

static void hear_news(pen_migration *m, const pen_blocks *heard)
{
    const pen_store *store = m->before;
    pen_lid first = store->owned;
    for (int p = 0, block = 0; p < store->producer_count; first += store->producers[p++].count) {
        while (block < heard->count && heard->ranks[block] < store->producers[p].rank) block++;
        if (block == heard->count || heard->ranks[block] != store->producers[p].rank) continue;
        const news *told = (const news *)(const void *)(heard->data + heard->offsets[block]);
        int64_t count = (heard->offsets[block + 1] - heard->offsets[block]) / (int64_t)sizeof(news);
        for (int64_t i = 0; i < count; i++) m->owner[first + told[i].place] = told[i].to;
    }
}

static pen_status tell_consumers(pen_migration *m, pen_status status)
{
    pen_blocks send = { 0 }, heard = { 0 };
    if (status == PEN_OK) status = pack_news(m, &send);
    status = pen_sparse_exchange(m->before->comm, status, &send, &heard);
    if (status == PEN_OK) hear_news(m, &heard);
    pen_blocks_free(&send);
    pen_blocks_free(&heard);
    return status;
}

/* ---- Shipping ------------------------------------------------------------------------------------ */

static void pack_node(const pen_migration *m, pen_lid slot, int64_t *record)
{
    const pen_store *store = m->before;
    uint32_t first = store->rows[slot];
    int64_t degree = (int64_t)store->rows[slot + 1] - first;
    record[0] = store->gids[slot];
    record[1] = degree;
    int64_t *words = record + PEN_ROW_NEIGHBORS_AT;
    for (int64_t j = 0; j < degree; j++) {
        words[j] = store->gids[store->columns[first + j]];
        words[degree + j] = m->owner[store->columns[first + j]];
    }
    if (store->edge_weights) memcpy(words + 2 * degree, store->edge_weights + first, (size_t)degree * sizeof(int64_t));
    if (store->node_weights) record[pen_row_load_at(&m->format, degree)] = store->node_weights[slot];
    if (store->dimensions > 0)
        memcpy(record + pen_row_coordinates_at(&m->format, degree),
               store->coordinates + (int64_t)slot * store->dimensions,
               (size_t)store->dimensions * sizeof *store->coordinates);
    if (store->readers) record[pen_row_readers_at(&m->format, degree)] = store->readers[slot];
    unsigned char *edges = (unsigned char *)(record + pen_row_edges_at(&m->format, degree));
    for (int e = 0; e < store->edge_field_count; e++) {
        size_t size = store->edge_sizes[e], bytes = (size_t)degree * size;
        memcpy(edges, (const unsigned char *)store->edges[e] + (size_t)first * size, bytes);
        edges += bytes;
    }
    unsigned char *state = (unsigned char *)(record + pen_row_words(&m->format, degree) - m->format.state_words);
    for (int f = 0; f < store->field_count; f++) {
        memcpy(state, pen_store_plane(store, f, 0) + (size_t)slot * store->sizes[f], store->sizes[f]);
        state += store->sizes[f];
    }
}

static pen_status pack_nodes(const pen_migration *m, pen_blocks *send)
{
    const pen_store *store = m->before;
    int64_t *bytes; /* as long as the communicator, and only where something moves */
    if (m->moved == 0) return PEN_OK;
    PEN_TRY(PEN_ALLOC_ZERO(&bytes, store->comm->size));
    for (pen_lid i = 0; i < m->moved; i++) {
        pen_lid s = m->leaving[i];
        bytes[m->owner[s]] += 8 * pen_row_words(&m->format, (int64_t)store->rows[s + 1] - store->rows[s]);
    }
    pen_status status = pen_blocks_open(store->comm->size, bytes, send);
    for (pen_lid i = 0; status == PEN_OK && i < m->moved; i++) {
        pen_lid s = m->leaving[i];
        pack_node(m, s, (int64_t *)(void *)(send->data + bytes[m->owner[s]]));
        bytes[m->owner[s]] += 8 * pen_row_words(&m->format, (int64_t)store->rows[s + 1] - store->rows[s]);
    }
    free(bytes);
    return status;
}

pen_row_format pen_migration_format(const pen_store *store)
{
    int64_t state = 0;
    for (int f = 0; f < store->field_count; f++) state += (int64_t)store->sizes[f];
    return (pen_row_format){ .loads = store->node_weights != NULL,
                             .edge_weights = store->edge_weights != NULL,
                             .owners = true,
                             .readers = store->directed,
                             .dimensions = store->dimensions,
                             .edge_bytes = (int64_t)pen_store_edge_bytes(store),
                             .state_words = (state + 7) / 8 };
}

static pen_status ship_nodes(pen_migration *m)
{
    pen_store *store = m->before;
    m->format = m->arriving.format = pen_migration_format(store);
    pen_blocks send = { 0 };
    pen_status status = pack_nodes(m, &send);
    m->bytes = send.count ? send.offsets[send.count] : 0;
    status = pen_sparse_exchange(store->comm, status, &send, &m->arriving.blocks);
    pen_blocks_free(&send);
    return status == PEN_OK ? pen_agree(store->comm, pen_rows_index(&m->arriving)) : status;
}

/* ---- The three acts ------------------------------------------------------------------------------ */

/* The new store works in the memory that the migration before has left. */
static void lend_spares(pen_store *before, pen_store *after)
{
    memcpy(after->blocks, before->spares, sizeof after->blocks);
    memset(before->spares, 0, sizeof before->spares);
}

static pen_status begin(pen_migration *m, int64_t count, const pen_move *moves)
{
    pen_store *store = m->before;
    PEN_TRY(pen_store_new(store->comm, store->fields, store->field_count, &m->after));
    PEN_TRY(pen_store_describe_edges(m->after, store->edge_field_count, store->edge_sizes));
    lend_spares(store, m->after);
    m->after->directed = store->directed;
    m->after->dimensions = store->dimensions;
    m->after->ordering = store->ordering;
    memcpy(m->after->plane, store->plane, (size_t)store->field_count * sizeof *store->plane);
    m->after->swapped = store->swapped;
    return note_moves(m, count, moves);
}

pen_status pen_migration_prepare(pen_store *store, pen_status mine, int64_t count, const pen_move *moves,
                                 pen_migration *migration)
{
    pen_migration *m = migration;
    *m = (pen_migration){ .before = store };
    if (mine == PEN_OK) mine = begin(m, count, moves);
    int64_t concerned = mine != PEN_OK || m->moved > 0, any = 0;
    pen_status status = pen_max_int(store->comm, concerned, &any);
    if (status != PEN_OK || !any) {
        pen_migration_undo(m);
        return status;
    }
    mine = tell_consumers(m, mine);
    if (mine == PEN_OK) mine = ship_nodes(m);
    if (mine == PEN_OK) {
        m->placing = (pen_placing){ .store = m->after,
                                    .old = { store, m->owner, m->leaving, m->moved },
                                    .rows = &m->arriving };
        mine = pen_place(&m->placing);
        /* The next planes will lie where the current ones do: what is there is right, and nothing is copied. */
        if (m->placing.kept) m->after->swapped = !store->swapped;
    }
    if (mine != PEN_OK) pen_migration_undo(m);
    return mine;
}

pen_status pen_migration_announce(pen_migration *m)
{
    const pen_store *before = m->before;
    pen_gid *gids = NULL;
    int32_t *owners = NULL, *versions = NULL;
    pen_status status = PEN_ALLOC(&gids, m->moved);
    if (status == PEN_OK) status = PEN_ALLOC(&owners, m->moved);
    if (status == PEN_OK) status = PEN_ALLOC(&versions, m->moved);
    for (pen_lid i = 0; status == PEN_OK && i < m->moved; i++) {
        gids[i] = before->gids[m->leaving[i]];
        owners[i] = m->owner[m->leaving[i]];
        versions[i] = before->migrations + 1;
    }
    status = pen_directory_update(before->directory, status, m->moved, gids, owners, versions);
    PEN_FREE_ALL(gids, owners, versions);
    return status;
}

/* Records of nodes that stay are copied, together where they lie together, those of arrivals unpacked. */
static void copy_field(const pen_migration *m, int field, int64_t state_offset)
{
    const pen_store *before = m->before, *after = m->after;
    const pen_placing *p = &m->placing;
    size_t size = before->sizes[field];
    const unsigned char *from = pen_store_plane(before, field, 0);
    unsigned char *to = pen_store_plane(after, field, 1);
    if (to == from) return; /* the store is kept, and its window */
    for (pen_lid s = 0, count; s < after->owned; s += count) {
        count = pen_placing_stretch(p, s);
        const char *record = count ? (const char *)from + (size_t)p->id[s] * size
                                   : (const char *)pen_row_state(&m->format, pen_placing_row(p, s)) + state_offset;
        if (count == 0) count = 1;
        memcpy(to + (size_t)s * size, record, (size_t)count * size);
    }
}

/* The memory of the old store's arrays, or of those that it would have had where it keeps them, and of what only
 * the migration needed. */
static void keep_spares(pen_store *before, pen_store *after, bool kept)
{
    for (int i = 0; i < PEN_BLOCKS; i++) {
        pen_block *from = i < PEN_OF_STORE ? &before->blocks[i] : &after->blocks[i];
        if (kept && i < PEN_OF_STORE) {
            pen_block block = *from;
            *from = after->blocks[i];
            after->blocks[i] = block;
        }
        after->spares[i] = *from;
        *from = (pen_block){ NULL, 0 };
    }
}

void pen_migration_commit(pen_migration *m)
{
    int64_t state_offset = 0;
    for (int f = 0; f < m->before->field_count; f++) {
        copy_field(m, f, state_offset);
        state_offset += (int64_t)m->before->sizes[f];
    }
    pen_place_settle(&m->placing);
    m->after->directory = m->before->directory;
    m->after->migrations = m->before->migrations + 1;
    m->before->directory = NULL;
    m->before->slot_of = NULL;
    keep_spares(m->before, m->after, m->placing.kept);
    m->after = NULL;
    pen_migration_undo(m);
}

static void lend_spares_back(pen_store *before, pen_store *after)
{
    memcpy(before->spares, after->blocks, sizeof before->spares);
    memset(after->blocks, 0, sizeof after->blocks);
}

void pen_migration_undo(pen_migration *m)
{
    if (m->after) {
        if (m->placing.store) pen_place_undo(&m->placing);
        m->after->slot_of = NULL; /* the old store's */
        lend_spares_back(m->before, m->after);
        pen_store_destroy(&m->after);
    }
    pen_placing_free(&m->placing);
    pen_rows_free(&m->arriving);
    free(m->leaving);
    *m = (pen_migration){ .before = m->before };
}
