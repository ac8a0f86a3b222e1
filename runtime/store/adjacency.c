/* adjacency.c - fills the arrays of a store whose nodes have slots. */
#include "store/adjacency.h"
#include "store/values.h"

pen_lid pen_placing_stretch(const pen_placing *p, pen_lid slot)
{
    const pen_node_id *id = p->id + slot;
    pen_lid most = p->store->owned - slot, count = 0;
    if (p->row_first > 0 || !p->old.store) {
        while (count < most && id[count] == id[0] + count && id[count] < p->first_other) count++;
    } else {
        while (count < most && id[count] == id[0] + count && id[count] < p->first_other && p->row_of[id[count]] == -1)
            count++;
    }
    return count;
}

static void fill_arriving(pen_placing *p, pen_lid slot, const int64_t *record, uint32_t at)
{
    pen_store *store = p->store;
    int64_t degree = pen_row_degree(record);
    store->gids[slot] = pen_row_gid(record);
    store->rows[slot] = at;
    if (store->node_weights) store->node_weights[slot] = record[pen_row_load_at(&p->rows->format, degree)];
    if (store->edge_weights)
        memcpy(store->edge_weights + at, pen_row_edge_weights(&p->rows->format, record),
               (size_t)degree * sizeof(int64_t));
    if (store->coordinates)
        memcpy(store->coordinates + (int64_t)slot * store->dimensions,
               record + pen_row_coordinates_at(&p->rows->format, degree),
               (size_t)store->dimensions * sizeof *store->coordinates);
    if (store->readers) store->readers[slot] = (int32_t)record[pen_row_readers_at(&p->rows->format, degree)];
    const unsigned char *edges = (const unsigned char *)(record + pen_row_edges_at(&p->rows->format, degree));
    for (int e = 0; e < store->edge_field_count; e++) {
        size_t size = store->edge_sizes[e], bytes = (size_t)degree * size;
        memcpy((unsigned char *)store->edges[e] + at * size, edges, bytes);
        edges += bytes;
    }
    for (int64_t j = 0; j < degree; j++) store->columns[at + j] = p->slot[pen_row_neighbor_ids(record)[j]];
}

/* The old store may lack weights: each of them is 1. */
static void copy_weights(int64_t *to, const int64_t *from, int64_t count)
{
    if (from) memcpy(to, from, (size_t)count * sizeof *to);
    for (int64_t i = 0; !from && i < count; i++) to[i] = 1;
}

/* Fill the rows of `count` nodes that stay and were contiguous before. A migration spends its linear pass here, in
 * plain loops over arrays. */
static void fill_staying(pen_placing *p, pen_lid slot, pen_node_id before, pen_lid count, uint32_t at)
{
    pen_store *store = p->store;
    const pen_store *old = p->old.store;
    uint32_t first = old->rows[before], arcs = old->rows[before + count] - first;
    uint32_t *restrict rows = store->rows + slot;
    const uint32_t *restrict old_rows = old->rows + before;
    for (pen_lid i = 0; i < count; i++) rows[i] = old_rows[i] - first + at;
    pen_lid *restrict columns = store->columns + at;
    const pen_lid *restrict old_columns = old->columns + first, *restrict new_slot = p->slot;
    for (uint32_t j = 0; j < arcs; j++) columns[j] = new_slot[old_columns[j]];
    memcpy(store->gids + slot, old->gids + before, (size_t)count * sizeof *store->gids);
    if (store->node_weights)
        copy_weights(store->node_weights + slot, old->node_weights ? old->node_weights + before : NULL, count);
    if (store->edge_weights)
        copy_weights(store->edge_weights + at, old->edge_weights ? old->edge_weights + first : NULL, arcs);
    if (store->coordinates)
        memcpy(store->coordinates + (int64_t)slot * store->dimensions,
               p->old.places + (int64_t)before * store->dimensions,
               (size_t)count * (size_t)store->dimensions * sizeof *store->coordinates);
    if (store->readers) memcpy(store->readers + slot, old->readers + before, (size_t)count * sizeof *store->readers);
    for (int e = 0; e < store->edge_field_count; e++) {
        size_t size = store->edge_sizes[e];
        memcpy((unsigned char *)store->edges[e] + at * size, (const unsigned char *)old->edges[e] + first * size,
               arcs * size);
    }
}

/* Whether every node is where it was. If no node comes or goes, and the boundary has the same nodes, the interior nodes
 * have not moved either. */
static bool is_as_before(const pen_placing *p)
{
    const pen_store *store = p->store, *old = p->old.store;
    if (!old || p->sequence || p->old.left > 0 || p->rows->count > 0 || store->boundary != old->boundary ||
        store->shadows != old->shadows)
        return false;
    const pen_row_format *format = &p->rows->format;
    if (p->old.rewired &&
        (old->directed || store->dimensions != old->dimensions || format->loads != (old->node_weights != NULL) ||
         format->edge_weights != (old->edge_weights != NULL)))
        return false; /* readers are counted again; weights and coordinates are new, or exist no longer */
    for (pen_lid s = 0; s < store->boundary; s++)
        if (p->id[s] != s) return false;
    for (pen_lid s = store->owned; s < store->owned + store->shadows; s++)
        if (store->gids[s] != old->gids[s]) return false;
    return true;
}

static void keep_arrays(pen_placing *p)
{
    const pen_store *old = p->old.store;
    p->kept = true;
    p->store->rows = old->rows;
    p->store->columns = old->columns;
    p->store->gids = old->gids;
    p->store->node_weights = old->node_weights;
    p->store->edge_weights = old->edge_weights;
    p->store->coordinates = old->coordinates;
    p->store->readers = old->readers;
    for (int e = 0; e < old->edge_field_count; e++) p->store->edges[e] = old->edges[e];
}

/* Prefetch the data that is copied soon: if the order of nodes changes, the data lies at scattered addresses. */
static void fetch_ahead(const pen_placing *p, pen_lid slot)
{
    enum { AHEAD = 8, LINE = 64 };
    if (slot + 2 * AHEAD >= p->store->owned) return;
    pen_node_id soon = p->id[slot + AHEAD], later = p->id[slot + 2 * AHEAD];
    if (pen_placing_has_row(p, later)) {
        __builtin_prefetch(&p->rows->records[pen_placing_row_of(p, later)]);
    } else {
        __builtin_prefetch(&p->old.store->rows[later]);
        __builtin_prefetch(&p->old.store->gids[later]);
    }
    if (pen_placing_has_row(p, soon)) {
        __builtin_prefetch(pen_placing_row(p, slot + AHEAD));
        __builtin_prefetch((const char *)pen_placing_row(p, slot + AHEAD) + LINE);
    } else {
        __builtin_prefetch(&p->old.store->columns[p->old.store->rows[soon]]);
    }
}

static int64_t degree_before(const pen_placing *p, pen_lid slot)
{
    return (int64_t)p->old.store->rows[slot + 1] - p->old.store->rows[slot];
}

static int64_t count_arcs(const pen_placing *p)
{
    int64_t arcs = p->old.store ? p->old.store->rows[p->old.store->owned] : 0;
    for (pen_lid i = 0; i < p->old.left; i++) arcs -= degree_before(p, p->old.leaving[i]);
    for (pen_lid i = 0; i < p->rows->count; i++) {
        arcs += pen_row_degree(p->rows->records[i]);
        if (p->row_id && p->row_id[i] < p->first_other) arcs -= degree_before(p, p->row_id[i]);
    }
    return arcs;
}

pen_status pen_adjacency_build(pen_placing *p)
{
    pen_store *store = p->store;
    if (is_as_before(p)) keep_arrays(p);
    PEN_TRY(pen_values_prepare(p));
    if (p->kept) return PEN_OK;
    int64_t arcs = count_arcs(p);
    if (arcs > UINT32_MAX)
        return pen_fail(PEN_ERR_UNSUPPORTED,
                        "%" PRId64 " arcs on one rank, at most %" PRIu32 " are possible: use more ranks", arcs,
                        UINT32_MAX);
    bool slack = p->old.store != NULL;
    PEN_TRY(pen_store_array(store, PEN_ROWS, (int64_t)store->owned + 1, sizeof *store->rows, slack, &store->rows));
    PEN_TRY(pen_store_array(store, PEN_COLUMNS, arcs, sizeof *store->columns, slack, &store->columns));
    if (p->rows->format.loads)
        PEN_TRY(pen_store_array(store, PEN_NODE_WEIGHTS, store->owned, sizeof(int64_t), slack, &store->node_weights));
    if (p->rows->format.edge_weights)
        PEN_TRY(pen_store_array(store, PEN_EDGE_WEIGHTS, arcs, sizeof(int64_t), slack, &store->edge_weights));
    if (p->rows->format.readers)
        PEN_TRY(pen_store_array(store, PEN_READERS, store->owned, sizeof *store->readers, slack, &store->readers));
    PEN_TRY(pen_store_lay_edges(store, arcs, slack));
    uint32_t at = 0;
    for (pen_lid s = 0, count; s < store->owned; s += count) {
        if (p->sequence) fetch_ahead(p, s);
        count = pen_placing_stretch(p, s);
        if (count == 0) {
            const int64_t *record = pen_placing_row(p, s);
            fill_arriving(p, s, record, at);
            at += (uint32_t)pen_row_degree(record);
            count = 1;
        } else {
            const uint32_t *old_rows = p->old.store->rows + p->id[s];
            fill_staying(p, s, p->id[s], count, at);
            at += old_rows[count] - old_rows[0];
        }
    }
    store->rows[store->owned] = at;
    return PEN_OK;
}
