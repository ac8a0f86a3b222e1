/* place.c - gives each owned node and each shadow its slot. */
#include "store/place.h"
#include "base/memory.h"
#include "store/adjacency.h"
#include "store/ordering.h"

#include <stdlib.h>

enum { NONE = -1 };

/* A boundary node and the set of ranks that want it. */
typedef struct pen_wanted {
    pen_gid gid;
    pen_node_id id;
    int32_t wanted_by;  /* number of ranks that want the node */
    int32_t *consumers; /* [wanted_by] ranks that want the node, ascending */
} pen_wanted;

/* Compare by the set of consumers: the lexicographic order {1} {1,2} {2} keeps the nodes that one consumer wants in few
 * stretches. Ties ascend by gid. */
static int compare_wanted(const void *a, const void *b)
{
    const pen_wanted *x = (const pen_wanted *)a, *y = (const pen_wanted *)b;
    for (int32_t i = 0; i < x->wanted_by && i < y->wanted_by; i++)
        if (x->consumers[i] != y->consumers[i]) return x->consumers[i] < y->consumers[i] ? -1 : 1;
    if (x->wanted_by != y->wanted_by) return x->wanted_by < y->wanted_by ? -1 : 1;
    return (x->gid > y->gid) - (x->gid < y->gid);
}

/* ---- Ids --------------------------------------------------------------------------------------- */

static pen_gid gid_of(const pen_placing *p, pen_node_id id)
{
    return id < p->old_slots ? p->old.store->gids[id] : p->fresh_gid[id - p->old_slots];
}

static int32_t owner_of(const pen_placing *p, pen_node_id id)
{
    return id < p->old_slots ? p->old.owner[id] : p->fresh_owner[id - p->old_slots];
}

/* The id of a node. A node that is not known yet gets an id, and `owner` as its owner. */
static pen_status meet(pen_placing *p, pen_gid gid, int32_t owner, pen_node_id *id)
{
    *id = pen_placing_find(p, gid);
    if (*id != NONE) return PEN_OK;
    if (p->fresh == p->fresh_room) {
        int64_t room = p->fresh_room ? 2 * p->fresh_room : 256;
        PEN_TRY(PEN_REALLOC(&p->fresh_gid, room));
        PEN_TRY(PEN_REALLOC(&p->fresh_owner, room));
        p->fresh_room = room;
    }
    PEN_TRY(pen_to_lid(p->old_slots + p->fresh, "nodes and shadows", id));
    PEN_TRY(pen_pages_set(p->store->slot_of, gid, (uint64_t)*id));
    p->fresh_gid[p->fresh] = gid;
    p->fresh_owner[p->fresh++] = owner;
    return PEN_OK;
}

/* At the start the table is empty, and nodes come ascending: insert them page by page. */
static pen_status meet_first(pen_placing *p)
{
    const pen_rows *rows = p->rows;
    for (pen_lid i = 0, n; i < rows->count; i += n) {
        uint64_t page = pen_page_of(pen_row_gid(rows->records[i])), mask = 0, had, ids[64];
        pen_page_walk walk;
        for (n = 0; i + n < rows->count && pen_page_of(pen_row_gid(rows->records[i + n])) == page; n++) {
            pen_gid gid = pen_row_gid(rows->records[i + n]);
            mask |= pen_page_bit(gid);
            ids[n] = (uint64_t)(i + n);
            p->fresh_gid[i + n] = gid;
            p->fresh_owner[i + n] = p->store->comm->rank;
        }
        PEN_TRY(pen_pages_add(p->store->slot_of, page, mask, ids, &had, &walk));
        p->fresh += n;
    }
    return PEN_OK;
}

static pen_status meet_arriving(pen_placing *p)
{
    PEN_TRY(PEN_ALLOC(&p->row_id, p->rows->count));
    for (pen_lid i = 0; i < p->rows->count; i++)
        PEN_TRY(meet(p, pen_row_gid(p->rows->records[i]), p->store->comm->rank, &p->row_id[i]));
    return PEN_OK;
}

typedef struct known_node {
    pen_gid gid;
    pen_node_id id;
} known_node;

/* Neighbours whose ids are looked up together, and a cache of the last ones found. The cache is indexed by position in
 * the row, since consecutive nodes mostly have consecutive neighbours. */
typedef struct meeting {
    known_node last[16];
    int count;
    int places[8 * PEN_PAGES_TOGETHER]; /* index in `last` of each gid's cache entry */
    pen_gid gids[8 * PEN_PAGES_TOGETHER];
    int32_t owners[8 * PEN_PAGES_TOGETHER];
    int64_t *words[8 * PEN_PAGES_TOGETHER]; /* words of the records that receive the ids */
} meeting;

/* Guess a neighbour's id: its distance from the last neighbour's id equals the distance of their gids, if own nodes
 * ascend by gid. Check the guess. */
static pen_node_id guess(const pen_placing *p, known_node last, pen_gid gid)
{
    enum { NEAR = 64 };
    int64_t away = gid - last.gid;
    if (p->old.store || away < -NEAR || away > NEAR) return NONE;
    int64_t id = last.id + away;
    return id >= 0 && id < p->rows->count && p->fresh_gid[id] == gid ? (pen_node_id)id : NONE;
}

static pen_status meet_neighbors(pen_placing *p, meeting *m)
{
    uint64_t ids[PEN_COUNT_OF(m->gids)];
    pen_pages_find_all(p->store->slot_of, m->count, m->gids, ids);
    for (int i = 0; i < m->count; i++) {
        pen_node_id id = (pen_node_id)ids[i];
        if (ids[i] == PEN_PAGES_ABSENT) PEN_TRY(meet(p, m->gids[i], m->owners[i], &id));
        *m->words[i] = id;
        m->last[m->places[i]] = (known_node){ m->gids[i], id };
    }
    m->count = 0;
    return PEN_OK;
}

/* Ids for the arriving nodes, then for their neighbours. */
static pen_status meet_all(pen_placing *p)
{
    pen_rows *rows = p->rows;
    meeting m = { .count = 0 };
    p->fresh_room = rows->count + rows->count / 8;
    PEN_TRY(PEN_ALLOC(&p->fresh_gid, p->fresh_room));
    PEN_TRY(PEN_ALLOC(&p->fresh_owner, p->fresh_room));
    if (p->old.store) PEN_TRY(meet_arriving(p));
    else PEN_TRY(meet_first(p));
    for (pen_lid i = 0; i < rows->count; i++) {
        int64_t *words = rows->records[i] + PEN_ROW_NEIGHBORS_AT, degree = pen_row_degree(rows->records[i]);
        const int64_t *owners = rows->format.owners ? pen_row_owners(rows->records[i]) : NULL;
        for (int64_t j = 0; j < degree; j++) {
            int place = (int)(j % PEN_COUNT_OF(m.last));
            pen_gid gid = words[j];
            pen_node_id id = guess(p, m.last[place], gid);
            if (id != NONE) {
                words[j] = id;
                m.last[place] = (known_node){ gid, id };
                continue;
            }
            m.words[m.count] = &words[j];
            m.gids[m.count] = gid;
            m.places[m.count] = place;
            m.owners[m.count++] = owners ? (int32_t)owners[j] : PEN_OWNER_UNKNOWN;
            if (m.count == PEN_COUNT_OF(m.gids)) PEN_TRY(meet_neighbors(p, &m));
        }
    }
    return meet_neighbors(p, &m);
}

/* Collective. Ask the directory for the owners that rows lack. */
static pen_status resolve_owners(pen_placing *p, pen_status status)
{
    if (p->rows->format.owners) return pen_agree(p->store->comm, status);
    int64_t first = status == PEN_OK ? p->rows->count : 0, count = status == PEN_OK ? p->fresh - first : 0;
    status = pen_directory_resolve_with(p->store->directory, status, count, p->fresh_gid ? p->fresh_gid + first : NULL,
                                        p->fresh_owner ? p->fresh_owner + first : NULL);
    for (int64_t i = first; i < p->fresh && status == PEN_OK; i++)
        if (p->fresh_owner[i] == PEN_OWNER_UNKNOWN)
            status = pen_fail(PEN_ERR_INTERNAL, "neighbour %" PRIgid " has no owner", p->fresh_gid[i]);
    return status;
}

/* ---- Nodes that this rank reads ---------------------------------------------------------------- */

/* Whether an old node stays, and reads the same nodes as before. */
static bool keeps_row(const pen_placing *p, pen_lid slot)
{
    return p->old.owner[slot] == p->store->comm->rank && !pen_placing_has_row(p, slot);
}

/* Mark the shadows and the leaving nodes that staying nodes read. In an undirected graph, only boundary nodes read
 * shadows, and only a leaving node's neighbours read it; in a directed graph any node may. */
static void mark_old(pen_placing *p)
{
    const pen_store *old = p->old.store;
    pen_lid readers = old->directed ? old->owned : old->boundary;
    for (pen_lid s = 0; s < readers; s++) {
        if (!keeps_row(p, s)) continue;
        for (uint32_t a = old->rows[s]; a < old->rows[s + 1]; a++) p->used[old->columns[a]] = 1;
    }
    if (old->directed) return;
    for (pen_lid i = 0; i < p->old.left; i++)
        for (uint32_t a = old->rows[p->old.leaving[i]]; a < old->rows[p->old.leaving[i] + 1]; a++)
            if (old->columns[a] < old->owned && keeps_row(p, old->columns[a])) p->used[p->old.leaving[i]] = 1;
}

static pen_status find_rows(pen_placing *p)
{
    p->row_first = p->old.rewired && p->rows->count > 0 ? 0 : p->first_other;
    int64_t ids = p->old_slots + p->fresh - p->row_first;
    PEN_TRY(PEN_ALLOC(&p->row_of, ids));
    memset(p->row_of, 0xff, (size_t)ids * sizeof *p->row_of); /* all entries become NONE, -1 */
    for (pen_lid i = 0; i < p->rows->count; i++) {
        p->row_of[p->row_id[i] - p->row_first] = i;
        p->replaced += p->row_id[i] < p->first_other;
    }
    return PEN_OK;
}

static pen_status mark_used(pen_placing *p)
{
    int64_t ids = p->old_slots + p->fresh, owned = p->rows->count;
    PEN_TRY(PEN_ALLOC_ZERO(&p->used, ids));
    PEN_TRY(pen_store_array(p->store, PEN_SLOT, ids, sizeof *p->slot, p->old.store, &p->slot));
    memset(p->slot, 0xff, (size_t)ids * sizeof *p->slot); /* all entries become NONE, -1 */
    if (p->old.store) {
        PEN_TRY(find_rows(p));
        mark_old(p);
        owned += p->old.store->owned - p->old.left - p->replaced;
    }
    for (pen_lid i = 0; i < p->rows->count; i++) {
        const int64_t *record = p->rows->records[i];
        for (int64_t j = 0; j < pen_row_degree(record); j++) p->used[pen_row_neighbor_ids(record)[j]] = 1;
    }
    return pen_to_lid(owned, "nodes", &p->store->owned);
}

/* Find the shadows: nodes that are read here and owned elsewhere, sorted by owner and gid. */
static pen_status find_shadows(pen_placing *p)
{
    int64_t ids = p->old_slots + p->fresh, n = 0, room = 0;
    pen_gid *gids = NULL;
    int32_t *owners = NULL;
    pen_status status = PEN_OK;
    for (int64_t i = p->first_other - p->old.left; status == PEN_OK && i < ids; i++) {
        /* Ids of nodes that leave, then ids of all nodes that were not owned here. */
        pen_node_id id = (pen_node_id)(i < p->first_other ? p->old.leaving[p->first_other - 1 - i] : i);
        if (!p->used[id] || owner_of(p, id) == p->store->comm->rank) continue;
        if (n == room) {
            room = room ? 2 * room : 256;
            status = PEN_REALLOC(&gids, room);
        }
        if (status == PEN_OK) gids[n++] = gid_of(p, id);
    }
    if (status == PEN_OK) status = pen_to_lid(n, "shadows", &p->store->shadows);
    if (status == PEN_OK) status = PEN_ALLOC(&owners, n);
    if (status == PEN_OK && n > 0) qsort(gids, (size_t)n, sizeof *gids, pen_by_gid);
    for (int64_t i = 0; status == PEN_OK && i < n; i++) owners[i] = owner_of(p, pen_placing_find(p, gids[i]));
    if (status == PEN_OK) status = pen_blocks_group(n, owners, gids, sizeof *gids, &p->wanted, NULL);
    PEN_FREE_ALL(gids, owners);
    return status;
}

/* ---- Requests of other ranks, and slots -------------------------------------------------------- */

static int64_t asked_count(const pen_placing *p)
{
    return p->asked.count ? p->asked.offsets[p->asked.count] / (int64_t)sizeof(pen_gid) : 0;
}

/* Find the boundary nodes: each requested node once. Until slots are assigned, p->slot is the index in this array. */
static pen_status find_boundary(pen_placing *p)
{
    int64_t total = asked_count(p);
    const pen_gid *gids = (const pen_gid *)(const void *)p->asked.data;
    PEN_TRY(PEN_ALLOC(&p->boundary, total < p->store->owned ? total : p->store->owned));
    PEN_TRY(PEN_ALLOC(&p->consumers, total));
    for (int64_t i = 0; i < total; i++) {
        pen_node_id id = pen_placing_find(p, gids[i]);
        if (id == NONE || owner_of(p, id) != p->store->comm->rank)
            return pen_fail(PEN_ERR_INTERNAL, "node %" PRIgid " was requested from rank %d, which does not own it",
                            gids[i], p->store->comm->rank);
        if (p->slot[id] == NONE) {
            p->boundary[p->store->boundary] = (pen_wanted){ .gid = gids[i], .id = id };
            p->slot[id] = p->store->boundary++;
        }
        p->boundary[p->slot[id]].wanted_by++;
    }
    return PEN_OK;
}

/* Fill the lists of consumers; they ascend because the requests are visited by rank. */
static void fill_consumers(pen_placing *p)
{
    const pen_blocks *asked = &p->asked;
    int32_t *next = p->consumers;
    for (pen_lid i = 0; i < p->store->boundary; i++) {
        p->boundary[i].consumers = next;
        next += p->boundary[i].wanted_by;
        p->boundary[i].wanted_by = 0;
    }
    for (int block = 0; block < asked->count; block++) {
        const pen_gid *gids = (const pen_gid *)(const void *)(asked->data + asked->offsets[block]);
        int64_t count = (asked->offsets[block + 1] - asked->offsets[block]) / (int64_t)sizeof(pen_gid);
        for (int64_t i = 0; i < count; i++) {
            pen_wanted *node = &p->boundary[p->slot[pen_placing_find(p, gids[i])]];
            node->consumers[node->wanted_by++] = asked->ranks[block];
        }
    }
}

/* Find the nodes that become interior: arriving ones, and former boundary nodes that no other rank reads any more. They
 * are sorted by gid. */
static pen_status find_newcomers(const pen_placing *p, pen_newcomer **newcomers, int64_t *count)
{
    const pen_store *old = p->old.store;
    *count = 0;
    PEN_TRY(PEN_ALLOC(newcomers, (int64_t)p->rows->count + old->boundary));
    for (pen_lid i = 0; i < p->rows->count; i++) {
        pen_node_id id = p->row_id[i];
        if (p->slot[id] == NONE && id >= p->first_other)
            (*newcomers)[(*count)++] = (pen_newcomer){ pen_row_gid(p->rows->records[i]), id, NONE };
    }
    int64_t arriving = *count;
    for (pen_lid s = 0; s < old->boundary; s++)
        if (p->old.owner[s] == p->store->comm->rank && p->slot[s] == NONE)
            (*newcomers)[(*count)++] = (pen_newcomer){ old->gids[s], s, NONE };
    if (*count > arriving) qsort(*newcomers, (size_t)*count, sizeof **newcomers, pen_by_gid);
    return PEN_OK;
}

static void take_slot(pen_placing *p, pen_node_id id, pen_lid *slot)
{
    p->slot[id] = *slot;
    p->id[(*slot)++] = id;
}

static void place_first(pen_placing *p, pen_lid slot)
{
    for (pen_lid k = 0; k < p->store->owned; k++) {
        pen_node_id id = p->sequence ? p->sequence[k] : k;
        if (p->slot[id] == NONE) take_slot(p, id, &slot);
    }
    PEN_INVARIANT(slot == p->store->owned);
}

/* Interior nodes ascend by gid: merge the old ones, which ascend, with the newcomers. */
static void place_by_gid(pen_placing *p, const pen_newcomer *newcomers, int64_t count, pen_lid slot)
{
    const pen_store *old = p->old.store;
    int64_t n = 0;
    for (pen_lid s = old->boundary; s < p->first_other; s++) {
        if (!pen_placing_stays_interior(p, s)) continue;
        for (; n < count && newcomers[n].gid < old->gids[s]; n++) take_slot(p, newcomers[n].id, &slot);
        take_slot(p, s, &slot);
    }
    for (; n < count; n++) take_slot(p, newcomers[n].id, &slot);
    PEN_INVARIANT(slot == p->store->owned);
}

/* Keep the order of the old interior nodes; each is followed by the newcomers that are anchored at it. */
static pen_status place_by_order(pen_placing *p, pen_newcomer *newcomers, int64_t count, pen_lid slot)
{
    int64_t n = 0;
    PEN_TRY(pen_ordering_anchor(p, newcomers, count));
    for (pen_lid k = 0; k < p->first_other; k++) {
        pen_lid s = p->sequence ? p->sequence[k] : k;
        if (pen_placing_stays_interior(p, s)) take_slot(p, s, &slot);
        for (; n < count && newcomers[n].anchor == k; n++) take_slot(p, newcomers[n].id, &slot);
    }
    for (; n < count; n++) take_slot(p, newcomers[n].id, &slot);
    PEN_INVARIANT(slot == p->store->owned);
    return PEN_OK;
}

/* Choose the order of interior nodes, unless they keep the previous one. Memory peaks here and when the adjacency is
 * built, so arrays that are no longer needed are freed first. */
static pen_status order(pen_placing *p)
{
    const pen_store *old = p->old.store;
    PEN_FREE_ALL(p->used, p->fresh_owner);
    p->used = NULL;
    p->fresh_owner = NULL;
    if (old) return old->ordering.worse ? pen_ordering_renew(p) : PEN_OK;
    pen_status status = pen_ordering_first(p);
    free(p->fresh_gid); /* these gids are not needed after the first placing; after a migration, undoing needs them */
    p->fresh_gid = NULL;
    p->fresh = 0;
    return status;
}

/* Number boundary nodes in the order of their sets of consumers, then interior nodes. */
static pen_status assign_slots(pen_placing *p)
{
    const pen_store *old = p->old.store;
    pen_lid slot = 0;
    pen_newcomer *newcomers = NULL;
    int64_t count = 0;
    PEN_TRY(find_boundary(p));
    fill_consumers(p);
    if (p->store->boundary > 0) qsort(p->boundary, (size_t)p->store->boundary, sizeof *p->boundary, compare_wanted);
    PEN_TRY(order(p));
    PEN_TRY(pen_store_array(p->store, PEN_ID, p->store->owned, sizeof *p->id, old, &p->id));
    pen_status status = old ? find_newcomers(p, &newcomers, &count) : PEN_OK;
    if (status == PEN_OK) {
        for (pen_lid i = 0; i < p->store->boundary; i++) take_slot(p, p->boundary[i].id, &slot);
        p->newcomers = count;
        if (!old) place_first(p, slot);
        else if (p->store->ordering.is > PEN_ORDER_NATURAL) status = place_by_order(p, newcomers, count, slot);
        else place_by_gid(p, newcomers, count, slot);
    }
    free(newcomers);
    PEN_TRY(status);
    return pen_to_lid((int64_t)p->store->owned + p->store->shadows, "nodes and shadows", &p->store->capacity);
}

/* ---- Partners ---------------------------------------------------------------------------------- */

/* Bytes of the reply for one requested node: its slot and coordinates. */
static int64_t reply_bytes(const pen_store *store)
{
    return (int64_t)sizeof(pen_lid) + store->dimensions * (int64_t)sizeof(double);
}

/* Coordinates of an owned node. */
static const void *coordinates_of(const pen_placing *p, pen_node_id id)
{
    if (p->old.store && !pen_placing_has_row(p, id)) return p->old.places + (int64_t)id * p->store->dimensions;
    const int64_t *record = p->rows->records[pen_placing_row_of(p, id)];
    return record + pen_row_coordinates_at(&p->rows->format, pen_row_degree(record));
}

/* Reply to each consumer with the slots of the nodes that it requested, in its order, followed by their coordinates.
 * Keep the slots, ascending, as the consumer's pull. */
static pen_status reply_to_consumers(pen_placing *p, pen_blocks *reply)
{
    pen_store *store = p->store;
    const pen_blocks *asked = &p->asked;
    PEN_TRY(PEN_ALLOC_ZERO(&store->consumers, asked->count));
    PEN_TRY(PEN_ALLOC(&reply->ranks, asked->count));
    PEN_TRY(PEN_ALLOC_ZERO(&reply->offsets, (int64_t)asked->count + 1));
    const size_t coordinates = (size_t)store->dimensions * sizeof(double);
    PEN_TRY(pen_alloc(&reply->data, asked_count(p), (size_t)reply_bytes(store)));
    for (int block = 0; block < asked->count; block++) {
        pen_partner *consumer = &store->consumers[block];
        const pen_gid *gids = (const pen_gid *)(const void *)(asked->data + asked->offsets[block]);
        consumer->rank = reply->ranks[block] = asked->ranks[block];
        consumer->count = (pen_lid)((asked->offsets[block + 1] - asked->offsets[block]) / (int64_t)sizeof(pen_gid));
        reply->offsets[block + 1] = asked->offsets[block + 1] / (int64_t)sizeof(pen_gid) * reply_bytes(store);
        store->consumer_count = block + 1;
        PEN_TRY(PEN_ALLOC(&consumer->slots, consumer->count));
        for (pen_lid i = 0; i < consumer->count; i++) consumer->slots[i] = p->slot[pen_placing_find(p, gids[i])];
        unsigned char *to = reply->data + reply->offsets[block];
        memcpy(to, consumer->slots, (size_t)consumer->count * sizeof(pen_lid));
        to += (size_t)consumer->count * sizeof(pen_lid);
        for (pen_lid i = 0; coordinates > 0 && i < consumer->count; i++, to += coordinates)
            memcpy(to, coordinates_of(p, pen_placing_find(p, gids[i])), coordinates);
        qsort(consumer->slots, (size_t)consumer->count, sizeof(pen_lid), pen_by_int32);
    }
    reply->count = asked->count;
    return PEN_OK;
}

typedef struct shadow {
    pen_lid slot;  /* slot of the node at its producer */
    pen_lid place; /* index of the node among the requests to the producer */
    pen_gid gid;
} shadow;

/* Place the shadows. `told` has the slots and coordinates of the nodes in p->wanted, in the same order. */
static pen_status place_shadows(pen_placing *p, const pen_blocks *told)
{
    pen_store *store = p->store;
    const pen_blocks *wanted = &p->wanted;
    if (told->count != wanted->count) return pen_fail(PEN_ERR_INTERNAL, "a rank did not reply");
    PEN_TRY(PEN_ALLOC_ZERO(&store->producers, wanted->count));
    PEN_TRY(pen_store_array(store, PEN_GIDS, store->capacity, sizeof *store->gids, p->old.store, &store->gids));
    if (store->dimensions > 0)
        PEN_TRY(pen_store_array(store, PEN_COORDINATES, (int64_t)store->capacity * store->dimensions, sizeof(double),
                                p->old.store, &store->coordinates));
    const size_t coordinates = (size_t)store->dimensions * sizeof(double);
    shadow *shadows;
    PEN_TRY(PEN_ALLOC(&shadows, store->shadows));
    pen_status status = PEN_OK;
    pen_lid next = store->owned;
    for (int block = 0; block < wanted->count && status == PEN_OK; block++) {
        pen_partner *producer = &store->producers[block];
        producer->rank = wanted->ranks[block];
        producer->count = (pen_lid)((wanted->offsets[block + 1] - wanted->offsets[block]) / (int64_t)sizeof(pen_gid));
        store->producer_count = block + 1;
        const pen_gid *gids = (const pen_gid *)(const void *)(wanted->data + wanted->offsets[block]);
        const pen_lid *slots = (const pen_lid *)(const void *)(told->data + told->offsets[block]);
        for (pen_lid i = 0; i < producer->count; i++) shadows[i] = (shadow){ slots[i], i, gids[i] };
        qsort(shadows, (size_t)producer->count, sizeof *shadows, pen_by_int32);
        status = PEN_ALLOC(&producer->slots, producer->count);
        for (pen_lid i = 0; i < producer->count && status == PEN_OK; i++, next++) {
            producer->slots[i] = shadows[i].slot;
            store->gids[next] = shadows[i].gid;
            if (coordinates > 0)
                memcpy(store->coordinates + (int64_t)next * store->dimensions,
                       (const char *)(slots + producer->count) + (size_t)shadows[i].place * coordinates, coordinates);
            p->slot[pen_placing_find(p, shadows[i].gid)] = next;
        }
    }
    free(shadows);
    return status;
}

/* ---- All steps together ------------------------------------------------------------------------ */

static pen_status list_shadows(pen_placing *p)
{
    PEN_TRY(mark_used(p));
    return find_shadows(p);
}

pen_status pen_place_nodes(pen_placing *p)
{
    pen_comm *comm = p->store->comm;
    p->old_slots = p->old.store ? p->old.store->owned + p->old.store->shadows : 0;
    p->first_other = p->old.store ? p->old.store->owned : 0;
    pen_status status = PEN_OK;
    if (p->old.store) p->store->slot_of = p->old.store->slot_of;
    else status = pen_pages_create(p->rows->count, &p->store->slot_of);
    if (status == PEN_OK) status = meet_all(p);
    status = resolve_owners(p, status);
    if (status == PEN_OK) status = list_shadows(p);

    pen_blocks reply = { 0 }, told = { 0 };
    status = pen_sparse_exchange(comm, status, &p->wanted, &p->asked);
    if (status == PEN_OK) {
        status = assign_slots(p);
        if (status == PEN_OK) status = reply_to_consumers(p, &reply);
        status = pen_sparse_exchange(comm, status, &reply, &told);
    }
    if (status == PEN_OK) {
        status = place_shadows(p, &told);
        if (status == PEN_OK) status = pen_adjacency_build(p);
        if (status == PEN_OK && p->old.store) status = pen_ordering_follow(p->store, p->newcomers);
        status = pen_agree(comm, status);
    }
    pen_blocks_free(&reply);
    pen_blocks_free(&told);
    return status;
}

void pen_place_settle(pen_placing *p)
{
    enum { AHEAD = 192 };
    const pen_store *store = p->store;
    pen_pages *slot_of = store->slot_of;
    if (p->kept) return;
    for (pen_lid i = 0; i < p->old.left; i++)
        if (p->slot[p->old.leaving[i]] == NONE) pen_pages_remove(slot_of, p->old.store->gids[p->old.leaving[i]]);
    for (pen_node_id id = p->first_other; id < p->old_slots; id++)
        if (p->slot[id] == NONE) pen_pages_remove(slot_of, p->old.store->gids[id]);
    /* Where gids are consecutive in a page, slots mostly are, too: enter them together. */
    uint64_t *value = NULL;
    for (pen_lid s = 0, all = store->owned + store->shadows; s < all; s++) {
        pen_gid gid = store->gids[s];
        if (value && gid - store->gids[s - 1] == 1 && gid % 64 != 0) {
            value++;
        } else {
            value = pen_pages_find(slot_of, gid);
        }
        *value = (uint64_t)s;
    }
}

void pen_place_undo(pen_placing *p)
{
    for (int64_t i = 0; i < p->fresh; i++) pen_pages_remove(p->store->slot_of, p->fresh_gid[i]);
}

void pen_placing_free(pen_placing *p)
{
    PEN_FREE_ALL(p->fresh_gid, p->fresh_owner, p->row_id, p->used, p->row_of, p->sequence, p->boundary, p->consumers);
    pen_blocks_free(&p->wanted);
    pen_blocks_free(&p->asked);
    *p = (pen_placing){ .store = NULL };
}
