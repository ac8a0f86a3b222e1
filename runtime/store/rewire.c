/* rewire.c - turns requests into new rows, at the ranks that own them. */
#include "base/memory.h"
#include "directory/tentative_update.h"
#include "store/change.h"
#include "store/half_edges.h"

#include <stdlib.h>

enum { NONE = -1 };

/* A row that is made here: of a new node, or of an old node whose row changes. */
typedef struct new_row {
    pen_gid gid;           /* the node's gid; the first member, because it is the sort key */
    pen_lid slot;          /* slot of the node before; NONE if it is new */
    pen_new_node *newborn; /* the new node; NULL: the node is old */
} new_row;

/* An arc of a row in the making. */
typedef struct new_arc {
    pen_gid gid;
    int32_t owner;
    int64_t weight;
    int64_t before; /* index of the arc's records in the old row; NONE: the arc is new */
} new_arc;

typedef struct rewiring {
    pen_change *c;
    const pen_changes *asked;
    pen_node_outcome *outcomes; /* [asked->subject_count] outcome of each subject */
    pen_half_edges halves;
    unsigned char *touched; /* [owned before] whether `rows` has the node's row */
    new_row *rows;          /* [row_count] the new rows */
    int64_t row_count, row_room;
    new_arc *arcs; /* [arc_count] the arcs of one row */
    int64_t arc_count, arc_room;
    int64_t words_room; /* words that are allocated for the records in c->arriving.blocks */
} rewiring;

/* ---- Removed and added nodes -------------------------------------------------------------------- */

static void request_ownership(const rewiring *r, pen_ownership_request *requests)
{
    size_t bytes = (size_t)pen_newborn_bytes(r->asked);
    for (int64_t i = 0; i < r->asked->subject_count; i++) {
        const pen_subject *s = &r->asked->subjects[i];
        requests[i] = (pen_ownership_request){ .gid = s->gid, .removes = s->removed, .adds = s->first != NULL };
        if (!s->first) continue;
        requests[i].by = s->first->by;
        requests[i].weight = s->first->weight;
        requests[i].record = pen_hash_bytes(pen_newborn_record(s->first, 0), bytes);
        if (s->first->dimensions > 0) requests[i].place = pen_hash_bytes(s->first->at, sizeof s->first->at);
    }
}

/* Note which of this rank's nodes are removed. */
static pen_status note_removals(pen_change *c, int64_t count, const pen_removal *removals)
{
    const pen_store *store = c->before;
    PEN_TRY(PEN_ALLOC(&c->leaving, count));
    c->counts.removed = count;
    for (int64_t i = 0; i < count; i++) {
        const pen_lid slot = pen_store_slot(store, removals[i].gid);
        if (slot < 0) return pen_store_not_owner(store, removals[i].gid);
        c->died[slot] = 1;
        c->counts.arcs_removed += store->rows[slot + 1] - store->rows[slot];
        if (removals[i].after != store->comm->rank) pen_change_leaves(c, slot, removals[i].after);
    }
    if (c->left > 0) qsort(c->leaving, (size_t)c->left, sizeof *c->leaving, pen_by_int32);
    return PEN_OK;
}

/* Collective. Settle the outcome of all subjects. */
static pen_status settle_nodes(rewiring *r, pen_status mine)
{
    pen_change *c = r->c;
    pen_store *store = c->before;
    pen_ownership_request *requests = NULL;
    pen_removal *removals = NULL;
    int64_t count = mine == PEN_OK ? r->asked->subject_count : 0, removed = 0;
    if (mine == PEN_OK) mine = pen_change_begin(c);
    if (mine == PEN_OK) mine = PEN_ALLOC(&requests, count);
    if (mine == PEN_OK) mine = PEN_ALLOC(&r->outcomes, count);
    if (mine == PEN_OK) mine = PEN_ALLOC_ZERO(&c->died, (int64_t)store->owned + store->shadows);
    if (mine == PEN_OK) request_ownership(r, requests);
    mine = pen_directory_prepare(store->directory, mine, store->migrations + 1, count, requests, r->outcomes, &removed,
                                 &removals);
    if (mine == PEN_OK) mine = pen_change_send_updates(c, note_removals(c, removed, removals));
    PEN_FREE_ALL(requests, removals);
    return mine;
}

/* ---- Rows that are made -------------------------------------------------------------------------- */

static pen_status list_row(rewiring *r, pen_gid gid, pen_lid slot, pen_new_node *newborn)
{
    PEN_TRY(pen_reserve(&r->rows, sizeof *r->rows, r->row_count + 1, &r->row_room));
    r->rows[r->row_count++] = (new_row){ gid, slot, newborn };
    return PEN_OK;
}

/* Note that the row of a staying node changes. */
static pen_status touch(rewiring *r, pen_lid slot)
{
    if (r->touched[slot] || r->c->died[slot]) return PEN_OK;
    r->touched[slot] = 1;
    return list_row(r, r->c->before->gids[slot], slot, NULL);
}

/* Note that rows which read removed shadows change. In an undirected graph these are rows of boundary nodes; in a
 * directed graph, where removed nodes do not know their readers, any row can be one. */
static pen_status touch_readers(rewiring *r)
{
    const pen_store *store = r->c->before;
    const unsigned char *died = r->c->died;
    bool any = store->directed && r->c->counts.removed > 0;
    for (pen_lid s = store->owned; s < store->owned + store->shadows; s++) any = any || died[s];
    pen_lid readers = store->directed ? store->owned : store->boundary;
    for (pen_lid s = 0; any && s < readers; s++)
        for (uint32_t a = store->rows[s]; a < store->rows[s + 1]; a++)
            if (died[store->columns[a]]) PEN_TRY(touch(r, s));
    return PEN_OK;
}

static pen_status touch_neighbors(rewiring *r)
{
    const pen_store *store = r->c->before;
    if (store->directed || r->c->counts.removed == 0) return PEN_OK;
    for (pen_lid s = 0; s < store->owned; s++) {
        if (!r->c->died[s]) continue;
        for (uint32_t a = store->rows[s]; a < store->rows[s + 1]; a++)
            if (store->columns[a] < store->owned) PEN_TRY(touch(r, store->columns[a]));
    }
    return PEN_OK;
}

/* Whether the old row of a node has an arc to `other`; columns ascend by gid. */
static bool has_arc(const pen_store *store, pen_lid slot, pen_gid other)
{
    uint32_t low = store->rows[slot], end = store->rows[slot + 1], high = end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (store->gids[store->columns[middle]] < other) low = middle + 1;
        else high = middle;
    }
    return low < end && store->gids[store->columns[low]] == other;
}

/* Note that a row changes, and check that the requests about it are possible. */
static pen_status check_halves(rewiring *r, const pen_half_edge_group *group)
{
    pen_lid slot = pen_store_slot(r->c->before, group->row);
    const pen_half_edge *before = NULL, *first = r->halves.of + group->first;
    if (slot != NONE) PEN_TRY(touch(r, slot));
    for (const pen_half_edge *h = first; h < first + group->count; before = h++) {
        bool again = before && before->other == h->other && before->kind == h->kind;
        if (h->kind == PEN_HALF_EDGE_REMOVE)
            PEN_ARGUMENT(slot != NONE && has_arc(r->c->before, slot, h->other),
                         "edge %" PRIgid " - %" PRIgid " is to be removed, but does not exist", h->row, h->other);
        PEN_ARGUMENT(!again || h->kind != PEN_HALF_EDGE_ADD || before->weight == h->weight,
                     "edge %" PRIgid " - %" PRIgid " is to get two weights, %" PRId64 " and %" PRId64, h->row, h->other,
                     before->weight, h->weight);
        PEN_ARGUMENT(!again || h->kind != PEN_HALF_EDGE_WEIGHT || before->weight == h->weight,
                     "node %" PRIgid " is to get two weights, %" PRId64 " and %" PRId64, h->row, before->weight,
                     h->weight);
    }
    return PEN_OK;
}

static pen_status list_rows(rewiring *r)
{
    const pen_store *store = r->c->before;
    PEN_TRY(PEN_ALLOC_ZERO(&r->touched, store->owned));
    for (int64_t i = 0; i < r->halves.group_count; i++) PEN_TRY(check_halves(r, &r->halves.groups[i]));
    PEN_TRY(touch_readers(r));
    PEN_TRY(touch_neighbors(r));
    for (int64_t i = 0; i < r->asked->subject_count; i++) {
        pen_new_node *first = r->asked->subjects[i].first;
        if (!first || r->outcomes[i].after != store->comm->rank) continue;
        PEN_TRY(list_row(r, r->asked->subjects[i].gid, NONE, first));
        r->c->counts.added++;
    }
    if (r->row_count > 0) qsort(r->rows, (size_t)r->row_count, sizeof *r->rows, pen_by_gid);
    return PEN_OK;
}

/* ---- Rows --------------------------------------------------------------------------------------- */

static void put_arc(rewiring *r, pen_gid gid, int32_t owner, int64_t weight, int64_t before)
{
    r->arcs[r->arc_count++] = (new_arc){ gid, owner, weight, before };
    r->c->counts.arcs_added += before == NONE;
}

/* Add the new arcs to nodes with gids below `gid`; NULL: all remaining ones. */
static const pen_half_edge *add_arcs(rewiring *r, const pen_half_edge *h, const pen_half_edge *last, const pen_gid *gid)
{
    for (; h < last && (!gid || h->other < *gid); h++)
        if (h->kind == PEN_HALF_EDGE_ADD && (r->arc_count == 0 || r->arcs[r->arc_count - 1].gid != h->other))
            put_arc(r, h->other, h->owner, h->weight, NONE);
    return h;
}

/* Merge an arc of the old row with the requests about the arc. */
static const pen_half_edge *keep_arc(rewiring *r, const pen_half_edge *h, const pen_half_edge *last, uint32_t arc)
{
    const pen_store *store = r->c->before;
    pen_lid column = store->columns[arc];
    pen_gid other = store->gids[column];
    int64_t weight = store->edge_weights ? store->edge_weights[arc] : 1, before = arc;
    bool stays = !r->c->died[column];
    int32_t owner = r->c->owner[column];
    for (; h < last && h->other == other; h++) {
        if (h->kind == PEN_HALF_EDGE_REMOVE) stays = false;
        if (h->kind != PEN_HALF_EDGE_ADD) continue;
        if (!stays) before = NONE;
        stays = true;
        weight = h->weight;
    }
    r->c->counts.arcs_removed += !stays || before == NONE;
    if (stays) put_arc(r, other, owner, weight, before);
    return h;
}

/* Collect the arcs of a new row. */
static pen_status merge_arcs(rewiring *r, const new_row *row, const pen_half_edge *h, const pen_half_edge *last)
{
    const pen_store *store = r->c->before;
    uint32_t arc = row->slot == NONE ? 0 : store->rows[row->slot],
             end = row->slot == NONE ? 0 : store->rows[row->slot + 1];
    PEN_TRY(pen_reserve(&r->arcs, sizeof *r->arcs, end - arc + (last - h), &r->arc_room));
    r->arc_count = 0;
    for (; arc < end; arc++) {
        h = add_arcs(r, h, last, &store->gids[store->columns[arc]]);
        h = keep_arc(r, h, last, arc);
    }
    (void)add_arcs(r, h, last, NULL);
    return PEN_OK;
}

/* Pack the data of a new node into its record. */
static void pack_newborn(const rewiring *r, const pen_new_node *newborn, int64_t *record)
{
    const pen_row_format *format = &r->c->format;
    const int64_t degree = pen_row_degree(record);
    if (format->loads) record[pen_row_load_at(format, degree)] = newborn->weight;
    memcpy(record + pen_row_coordinates_at(format, degree), newborn->at,
           (size_t)format->dimensions * sizeof *newborn->at);
}

static void pack_arcs(const rewiring *r, int64_t *record)
{
    const pen_row_format *format = &r->c->format;
    const pen_store *store = r->c->before;
    int64_t degree = r->arc_count, *words = record + PEN_ROW_NEIGHBORS_AT;
    for (int64_t j = 0; j < degree; j++) {
        words[j] = r->arcs[j].gid;
        words[degree + j] = r->arcs[j].owner;
        if (format->edge_weights) words[2 * degree + j] = r->arcs[j].weight;
    }
    unsigned char *edges = (unsigned char *)(record + pen_row_edges_at(format, degree));
    const unsigned char *first = r->asked->first_arc;
    for (int e = 0; e < store->edge_field_count; e++) {
        const size_t size = store->edge_sizes[e];
        for (int64_t j = 0; j < degree; j++, edges += size) {
            const int64_t before = r->arcs[j].before;
            if (before != NONE) memcpy(edges, (const unsigned char *)store->edges[e] + (size_t)before * size, size);
            else if (first) memcpy(edges, first, size);
        }
        if (first) first += size;
    }
}

/* Set the node's weight; an update of it is the first one of its row. */
static pen_status set_weight(const rewiring *r, const new_row *row, const pen_half_edge *h, int64_t *record)
{
    if (h->kind != PEN_HALF_EDGE_WEIGHT) return PEN_OK;
    PEN_ARGUMENT(!row->newborn || row->newborn->weight == h->weight,
                 "node %" PRIgid " is to get two weights, %" PRId64 " and %" PRId64, row->gid, row->newborn->weight,
                 h->weight);
    if (r->c->format.loads) record[pen_row_load_at(&r->c->format, pen_row_degree(record))] = h->weight;
    return PEN_OK;
}

static pen_status make_row(rewiring *r, const new_row *row, const pen_half_edge *h, const pen_half_edge *last)
{
    pen_blocks *blocks = &r->c->arriving.blocks;
    int64_t at = blocks->offsets[1] / 8;
    PEN_TRY(merge_arcs(r, row, h, last));
    int64_t words = pen_row_words(&r->c->format, r->arc_count);
    PEN_TRY(pen_reserve(&blocks->data, 8, at + words, &r->words_room));
    int64_t *record = (int64_t *)(void *)blocks->data + at;
    memset(record, 0, (size_t)words * 8);
    record[0] = row->gid;
    record[1] = r->arc_count;
    pack_arcs(r, record);
    if (row->newborn) pack_newborn(r, row->newborn, record);
    else pen_change_pack_node(r->c, row->slot, record);
    if (h < last) PEN_TRY(set_weight(r, row, h, record));
    blocks->offsets[1] = 8 * (at + words);
    return PEN_OK;
}

/* Make all rows, in the format of arriving rows, as if this rank had sent them. */
static pen_status make_rows(rewiring *r)
{
    pen_change *c = r->c;
    pen_blocks *blocks = &c->arriving.blocks;
    const pen_half_edge_group *group = r->halves.groups, *end = group + r->halves.group_count;
    PEN_TRY(list_rows(r));
    PEN_TRY(PEN_ALLOC(&c->origin, r->row_count));
    PEN_TRY(PEN_ALLOC(&c->newborns, r->row_count));
    PEN_TRY(PEN_ALLOC_ZERO(&blocks->ranks, 1));
    PEN_TRY(PEN_ALLOC_ZERO(&blocks->offsets, 2));
    blocks->count = 1;
    for (int64_t i = 0; i < r->row_count; i++) {
        const new_row *row = &r->rows[i];
        while (group < end && group->row < row->gid) group++; /* skip updates of removed nodes */
        bool told = group < end && group->row == row->gid;
        const pen_half_edge *first = told ? r->halves.of + group->first : NULL;
        PEN_TRY(make_row(r, row, first, told ? first + group->count : NULL));
        c->origin[i] = row->newborn ? row->newborn->adder : row->slot;
        c->newborns[i] = row->newborn;
    }
    return pen_rows_index(&c->arriving);
}

/* ---- All steps together ------------------------------------------------------------------------- */

pen_status pen_change_requests(pen_store *store, pen_status mine, const pen_changes *asked, pen_change *c)
{
    rewiring r = { .c = c, .asked = asked };
    *c = (pen_change){ .before = store, .rewired = true, .unplaced = asked->unplaced > 0 };
    pen_status status = settle_nodes(&r, mine);
    c->format.loads = c->arriving.format.loads = c->format.loads || asked->weighs_nodes;
    c->format.edge_weights = c->arriving.format.edge_weights = c->format.edge_weights || asked->weighs_edges;
    if (status == PEN_OK) status = pen_half_edges_exchange(c, asked, r.outcomes, &r.halves);
    if (status == PEN_OK) status = pen_agree(store->comm, make_rows(&r));
    if (status == PEN_OK) status = pen_change_place(c);
    pen_half_edges_free(&r.halves);
    PEN_FREE_ALL(r.outcomes, r.touched, r.rows, r.arcs);
    if (status != PEN_OK) pen_change_undo(c);
    return status;
}
