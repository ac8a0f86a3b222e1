/* change.c - prepares and commits changes of the nodes of a store: migrations and requested changes. */
#include "store/change.h"
#include "base/memory.h"
#include "directory/tentative_update.h"
#include "store/adjacency.h"
#include "store/create_store.h"
#include "store/ordering.h"
#include "store/values.h"

#include <stdlib.h>

/* ---- Owners ------------------------------------------------------------------------------------- */

/* Give the spare memory of the old store to the new one. */
static void lend_spares(pen_store *before, pen_store *after)
{
    memcpy(after->blocks, before->spares, sizeof after->blocks);
    memset(before->spares, 0, sizeof before->spares);
}

static void lend_spares_back(pen_store *before, pen_store *after)
{
    memcpy(before->spares, after->blocks, sizeof before->spares);
    memset(after->blocks, 0, sizeof after->blocks);
}

/* A graph that has changed is not a grid any more. The places of its nodes, which followed from their gids, become
 * their coordinates, unless new nodes have none. */
static pen_status hand_on_places(pen_change *c)
{
    const pen_store *before = c->before;
    pen_store *after = c->after;
    if (!c->rewired) after->grid = before->grid;
    after->dimensions = c->rewired ? pen_store_dimensions(before) : before->dimensions;
    if (c->unplaced) after->dimensions = 0;
    if (after->dimensions == 0 && c->rewired) pen_ordering_without_places(&after->ordering);
    if (after->dimensions == 0) return PEN_OK;
    return pen_store_places(before, &c->places, &c->made);
}

pen_status pen_change_begin(pen_change *c)
{
    pen_store *store = c->before;
    PEN_TRY(pen_store_new(store->comm, store->fields, store->field_count, &c->after));
    lend_spares(store, c->after);
    PEN_TRY(pen_store_describe_edges(c->after, store->edge_field_count, store->edge_sizes));
    c->after->transient = store->transient;
    c->after->directed = store->directed;
    c->after->ordering = store->ordering;
    PEN_TRY(hand_on_places(c));
    memcpy(c->after->plane, store->plane, (size_t)store->field_count * sizeof *store->plane);
    c->after->swapped = store->swapped;
    c->format = pen_change_format(store);
    c->format.dimensions = c->after->dimensions;
    /* Values and states of the nodes are on this rank already. */
    if (c->rewired) c->format.value_words = c->format.state_words = 0;
    c->arriving.format = c->format;
    PEN_TRY(pen_store_array(c->after, PEN_OWNER, (int64_t)store->owned + store->shadows, sizeof *c->owner, true,
                            &c->owner));
    pen_lid slot = 0;
    for (; slot < store->owned; slot++) c->owner[slot] = store->comm->rank;
    for (int p = 0; p < store->producer_count; p++)
        for (pen_lid i = 0; i < store->producers[p].count; i++) c->owner[slot++] = store->producers[p].rank;
    return PEN_OK;
}

void pen_change_leaves(pen_change *c, pen_lid slot, int32_t owner)
{
    c->owner[slot] = owner;
    c->leaving[c->left++] = slot;
}

/* ---- Updates for ranks that shadow nodes -------------------------------------------------------- */

/* An update about a node. A consumer knows a node by its index among all nodes that it pulls from this rank. */
typedef struct update {
    int32_t place;
    int32_t owner; /* the future owner; for a removed node of_dead(owner) */
} update;

/* Encode the owner of a removed node, below 0. The function is its own inverse. */
static int32_t of_dead(int32_t owner) { return -2 - owner; }

static bool is_updated(const pen_change *c, pen_lid slot)
{
    return c->owner[slot] != c->before->comm->rank || (c->died && c->died[slot]);
}

static pen_status pack_updates(const pen_change *c, pen_blocks *send)
{
    const pen_store *store = c->before;
    int64_t total = 0;
    for (int i = 0; i < store->consumer_count; i++)
        for (pen_lid k = 0; k < store->consumers[i].count; k++) total += is_updated(c, store->consumers[i].slots[k]);
    PEN_TRY(PEN_ALLOC(&send->ranks, store->consumer_count));
    PEN_TRY(PEN_ALLOC_ZERO(&send->offsets, (int64_t)store->consumer_count + 1));
    PEN_TRY(pen_alloc(&send->data, total, sizeof(update)));
    update *next = (update *)(void *)send->data;
    for (int i = 0; i < store->consumer_count; i++) {
        const update *first = next;
        for (pen_lid k = 0; k < store->consumers[i].count; k++) {
            pen_lid slot = store->consumers[i].slots[k];
            if (!is_updated(c, slot)) continue;
            *next++ = (update){ k, c->died && c->died[slot] ? of_dead(c->owner[slot]) : c->owner[slot] };
        }
        if (next == first) continue;
        send->ranks[send->count++] = store->consumers[i].rank;
        send->offsets[send->count] = (next - (update *)(void *)send->data) * (int64_t)sizeof(update);
    }
    return PEN_OK;
}

static void receive_updates(pen_change *c, const pen_blocks *received)
{
    const pen_store *store = c->before;
    pen_lid first = store->owned;
    for (int p = 0, block = 0; p < store->producer_count; first += store->producers[p++].count) {
        while (block < received->count && received->ranks[block] < store->producers[p].rank) block++;
        if (block == received->count || received->ranks[block] != store->producers[p].rank) continue;
        const update *updates = (const update *)(const void *)(received->data + received->offsets[block]);
        int64_t count = (received->offsets[block + 1] - received->offsets[block]) / (int64_t)sizeof(update);
        for (int64_t i = 0; i < count; i++) {
            bool died = updates[i].owner < 0;
            c->owner[first + updates[i].place] = died ? of_dead(updates[i].owner) : updates[i].owner;
            if (died) c->died[first + updates[i].place] = 1;
        }
    }
}

pen_status pen_change_send_updates(pen_change *c, pen_status status)
{
    pen_blocks send = { 0 }, received = { 0 };
    if (status == PEN_OK && (c->left > 0 || c->died)) status = pack_updates(c, &send);
    status = pen_sparse_exchange(c->before->comm, status, &send, &received);
    if (status == PEN_OK) receive_updates(c, &received);
    pen_blocks_free(&send);
    pen_blocks_free(&received);
    return status;
}

/* ---- Rows and slots ----------------------------------------------------------------------------- */

pen_row_format pen_change_format(const pen_store *store)
{
    int64_t state = 0;
    for (int f = 0; f < store->field_count; f++) state += (int64_t)pen_store_carried(store, f);
    return (pen_row_format){ .loads = store->node_weights != NULL,
                             .edge_weights = store->edge_weights != NULL,
                             .owners = true,
                             .readers = store->directed,
                             .dimensions = store->dimensions,
                             .edge_bytes = (int64_t)pen_store_edge_bytes(store),
                             .value_words = pen_values_words(store),
                             .state_words = (state + 7) / 8 };
}

void pen_change_pack_node(const pen_change *c, pen_lid slot, int64_t *record)
{
    const pen_store *store = c->before;
    int64_t degree = pen_row_degree(record);
    if (c->format.loads)
        record[pen_row_load_at(&c->format, degree)] = store->node_weights ? store->node_weights[slot] : 1;
    if (c->places)
        memcpy(record + pen_row_coordinates_at(&c->format, degree), c->places + (int64_t)slot * c->format.dimensions,
               (size_t)c->format.dimensions * sizeof *c->places);
    if (store->readers) record[pen_row_readers_at(&c->format, degree)] = store->readers[slot];
    if (c->rewired) return;
    pen_values_pack(store, slot, record + pen_row_values_at(&c->format, degree));
    unsigned char *state = (unsigned char *)(record + pen_row_words(&c->format, degree) - c->format.state_words);
    for (int f = 0; f < store->field_count; f++) {
        memcpy(state, pen_store_plane(store, f, 0) + (size_t)slot * store->sizes[f], pen_store_carried(store, f));
        state += pen_store_carried(store, f);
    }
}

pen_status pen_change_place(pen_change *c)
{
    pen_store *before = c->before;
    c->placing = (pen_placing){ .store = c->after,
                                .old = { before, c->owner, c->leaving, c->left, c->rewired, c->places },
                                .rows = &c->arriving };
    PEN_TRY(pen_place_nodes(&c->placing));
    /* The next planes will be the current ones, with the right contents; nothing is copied. */
    if (c->placing.kept) c->after->swapped = !before->swapped;
    return c->rewired ? pen_store_count_readers(c->after) : PEN_OK;
}

pen_lid pen_change_origin(const pen_change *c, pen_lid slot)
{
    const pen_placing *p = &c->placing;
    if (pen_placing_has_row(p, p->id[slot])) return c->origin[pen_placing_row_of(p, p->id[slot])];
    return p->id[slot];
}

/* ---- Preparing, agreeing, committing ------------------------------------------------------------- */

pen_status pen_change_announce(pen_change *c)
{
    const pen_store *before = c->before;
    pen_gid *gids = NULL;
    int32_t *owners = NULL, *versions = NULL;
    if (c->rewired) return PEN_OK; /* the directory's homes have settled the owners themselves */
    pen_status status = PEN_ALLOC(&gids, c->left);
    if (status == PEN_OK) status = PEN_ALLOC(&owners, c->left);
    if (status == PEN_OK) status = PEN_ALLOC(&versions, c->left);
    for (pen_lid i = 0; status == PEN_OK && i < c->left; i++) {
        gids[i] = before->gids[c->leaving[i]];
        owners[i] = c->owner[c->leaving[i]];
        versions[i] = before->migrations + 1;
    }
    status = pen_directory_update_with(before->directory, status, c->left, gids, owners, versions);
    PEN_FREE_ALL(gids, owners, versions);
    return status;
}

/* The field's record of a node whose row is replaced or arrives; state_offset: where the record begins in the row's
 * state. */
static const unsigned char *record_of_row(const pen_change *c, pen_lid slot, int field, int64_t state_offset)
{
    const pen_placing *p = &c->placing;
    pen_lid row = pen_placing_row_of(p, p->id[slot]);
    if (!c->rewired) return (const unsigned char *)pen_row_state(&c->format, p->rows->records[row]) + state_offset;
    if (c->newborns[row]) return pen_newborn_record(c->newborns[row], field);
    return pen_store_plane(c->before, field, 0) + (size_t)c->origin[row] * c->before->sizes[field];
}

/* Copy the records of staying nodes, contiguous ones together. */
static void copy_field(const pen_change *c, int field, int64_t state_offset)
{
    const pen_store *before = c->before, *after = c->after;
    const pen_placing *p = &c->placing;
    size_t size = before->sizes[field];
    const unsigned char *from = pen_store_plane(before, field, 0);
    unsigned char *to = pen_store_plane(after, field, 1);
    if (to == from) return; /* nothing is copied if the store keeps its arrays and its window */
    for (pen_lid s = 0, count; s < after->owned; s += count) {
        count = pen_placing_stretch(p, s);
        const unsigned char *record = count ? from + (size_t)p->id[s] * size : record_of_row(c, s, field, state_offset);
        if (count == 0) count = 1;
        memcpy(to + (size_t)s * size, record, (size_t)count * size);
    }
}

/* The values of a node whose row is replaced or arrives; NULL: they are zero. `offset` is the place of the values among
 * those of a row, in words. */
static const void *values_of_row(const pen_change *c, const pen_node_values *v, pen_lid slot, int64_t offset)
{
    const pen_placing *p = &c->placing;
    const pen_lid row = pen_placing_row_of(p, p->id[slot]);
    const int64_t *record = p->rows->records[row];
    if (!c->rewired) return record + pen_row_values_at(&c->format, pen_row_degree(record)) + offset;
    if (c->origin[row] < 0 || (c->newborns[row] && !v->inherits)) return NULL;
    return (const unsigned char *)v->of + (size_t)c->origin[row] * v->bytes;
}

/* Values of nodes that stay are copied, together where they lie together. */
static void copy_values(const pen_change *c, const pen_node_values *v, int64_t offset, unsigned char *made)
{
    const pen_placing *p = &c->placing;
    for (pen_lid s = 0, count; s < c->after->owned; s += count) {
        unsigned char *to = made + (size_t)s * v->bytes;
        count = pen_placing_stretch(p, s);
        if (count > 0) {
            memcpy(to, (const unsigned char *)v->of + (size_t)p->id[s] * v->bytes, (size_t)count * v->bytes);
            continue;
        }
        const void *from = values_of_row(c, v, s, offset);
        if (from) memcpy(to, from, v->bytes);
        count = 1;
    }
}

void pen_change_carry(pen_change *c)
{
    int64_t offset = 0;
    for (int i = 0; i < c->after->value_count; i++) {
        pen_node_values *v = &c->before->values[i];
        unsigned char *made = c->after->made[i];
        if (made && (v->ships || c->rewired)) copy_values(c, v, offset, made);
        if (v->ships) offset += (int64_t)v->bytes / 8;
        if (!made) continue;
        free(v->of);
        v->of = made;
        c->after->made[i] = NULL;
    }
}

/* Keep memory for the next change unless it is far too large: the old store's arrays (or the new ones, if the store
 * keeps the old ones), and the arrays that only the change needed; but none for coordinates that are lost. */
static void keep_spares(pen_store *before, pen_store *after, bool kept)
{
    const int64_t slots = (int64_t)after->owned + after->shadows;
    for (int i = 0; i < PEN_BLOCKS; i++) {
        pen_block *from = i < PEN_OF_STORE ? &before->blocks[i] : &after->blocks[i];
        if (kept && i < PEN_OF_STORE) {
            pen_block block = *from;
            *from = after->blocks[i];
            after->blocks[i] = block;
        }
        after->spares[i] = *from;
        *from = (pen_block){ NULL, 0 };
        int64_t needed = i < PEN_OF_STORE ? after->blocks[i].bytes : slots * (int64_t)sizeof(pen_lid);
        if (pen_block_is_waste(&after->spares[i], needed)) pen_block_free(&after->spares[i]);
    }
    if (after->dimensions > 0) return;
    pen_block_free(&after->blocks[PEN_COORDINATES]);
    pen_block_free(&after->spares[PEN_COORDINATES]);
}

void pen_change_commit(pen_change *c)
{
    int64_t state_offset = 0;
    for (int f = 0; f < c->before->field_count; f++) {
        if (pen_store_carried(c->before, f) > 0) copy_field(c, f, state_offset);
        state_offset += (int64_t)pen_store_carried(c->before, f);
    }
    pen_place_settle(&c->placing);
    pen_pages_compact(c->after->slot_of);
    pen_directory_commit(c->before->directory);
    c->after->directory = c->before->directory;
    c->after->migrations = c->before->migrations + 1;
    c->after->values = c->before->values;
    c->before->values = NULL;
    c->before->directory = NULL;
    c->before->slot_of = NULL;
    keep_spares(c->before, c->after, c->placing.kept);
    c->after = NULL;
    pen_change_undo(c);
}

void pen_change_undo(pen_change *c)
{
    if (c->after) {
        pen_directory_rollback(c->before->directory);
        if (c->placing.store) pen_place_undo(&c->placing);
        c->after->slot_of = NULL; /* the map from gids to slots belongs to the old store */
        lend_spares_back(c->before, c->after);
        pen_store_destroy(&c->after);
    }
    pen_placing_free(&c->placing);
    pen_rows_free(&c->arriving);
    PEN_FREE_ALL(c->leaving, c->died, c->origin, c->newborns, c->made);
    *c = (pen_change){ .before = c->before };
}

/* ---- Moves -------------------------------------------------------------------------------------- */

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
        const pen_lid slot = pen_store_slot(store, moves[i].gid);
        if (slot < 0)
            return pen_fail(PEN_ERR_ARGUMENT, "move of node %" PRIgid ", which rank %d does not own", moves[i].gid,
                            rank);
        if (moves[i].to == rank) continue;
        if (c->owner[slot] != rank) return pen_fail(PEN_ERR_ARGUMENT, "two moves of node %" PRIgid, moves[i].gid);
        pen_change_leaves(c, slot, moves[i].to);
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
    int64_t *bytes; /* allocated once per communicator, and only if some node moves */
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
