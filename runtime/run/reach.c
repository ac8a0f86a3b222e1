/* reach.c - finds the owners and slots of far nodes, and gets their records. */
#include "run/reach.h"
#include "base/memory.h"
#include "halo/gets.h"

#include <stdlib.h>

enum { NO_OWNER = -1 };

/* ---- Known places --------------------------------------------------------------------------------- */

pen_status pen_reach_create(int fields, pen_reach **reach)
{
    if (*reach) return PEN_OK;
    PEN_TRY(PEN_ALLOC_ZERO(reach, 1));
    pen_status status = PEN_ALLOC_ZERO(&(*reach)->records, fields);
    if (status == PEN_OK) status = pen_pages_create(0, &(*reach)->owner_of);
    if (status != PEN_OK) pen_reach_destroy(reach);
    return status;
}

static void forget_nodes(pen_reach *reach)
{
    pen_key_table_clear(&reach->table);
    reach->count = reach->looked_up = 0;
}

void pen_reach_destroy(pen_reach **reach)
{
    pen_reach *r = *reach;
    if (!r) return;
    for (int i = 0; i < r->owner_count; i++) free(r->owners[i].offsets);
    pen_pages_destroy(&r->owner_of);
    pen_key_table_free(&r->table);
    PEN_FREE_ALL(r->nodes, r->owners, r->wanted, r->memory, r->records, r);
    *reach = NULL;
}

/* ---- The batch ------------------------------------------------------------------------------------ */

void pen_reach_begin(pen_reach *reach)
{
    enum { SPARED = 1024, TIMES = 4 };
    if (reach->count > SPARED + TIMES * (int64_t)reach->wanted_count) forget_nodes(reach);
    reach->wanted_count = 0;
    reach->batch++;
}

/* Make room for one more entry. Capacities double, so that pushing is cheap. */
static pen_status reserve(void *array, size_t size, pen_lid count, pen_lid *room)
{
    if (count < *room) return PEN_OK;
    pen_lid more;
    PEN_TRY(pen_to_lid(*room ? 2 * (int64_t)*room : 256, "nodes that were asked for", &more));
    PEN_TRY(pen_realloc(array, more, size));
    *room = more;
    return PEN_OK;
}

static uint32_t *entry_of(const pen_reach *reach, pen_gid gid)
{
    return pen_key_entry(&reach->table, reach->nodes, sizeof *reach->nodes, (uint64_t)gid);
}

/* Double the table, whose entries are found again by their gids. */
static pen_status grow_table(pen_reach *reach)
{
    enum { SMALLEST = 1024 };
    PEN_TRY(pen_key_table_resize(&reach->table, reach->table.size ? 2 * reach->table.size : SMALLEST));
    for (pen_lid i = 0; i < reach->count; i++) *entry_of(reach, reach->nodes[i].gid) = (uint32_t)i + 1;
    return PEN_OK;
}

/* Find the node with that gid, or add it without an owner: it has to be looked up. */
static pen_status find_or_add(pen_reach *reach, pen_gid gid, pen_lid *node)
{
    if (pen_key_table_is_full(&reach->table, reach->count)) PEN_TRY(grow_table(reach));
    uint32_t *entry = entry_of(reach, gid);
    if (!*entry) {
        PEN_TRY(reserve(&reach->nodes, sizeof *reach->nodes, reach->count, &reach->room));
        reach->nodes[reach->count++] = (pen_reach_node){ .gid = gid, .owner = NO_OWNER, .batch = reach->batch - 1 };
        *entry = (uint32_t)reach->count;
    }
    *node = (pen_lid)(*entry - 1);
    return PEN_OK;
}

pen_status pen_reach_want(pen_reach *reach, pen_gid gid, pen_lid *place)
{
    pen_lid node;
    PEN_TRY(reserve(&reach->wanted, sizeof *reach->wanted, reach->wanted_count, &reach->wanted_room));
    PEN_TRY(find_or_add(reach, gid, &node));
    pen_reach_node *n = &reach->nodes[node];
    if (n->batch != reach->batch) {
        n->batch = reach->batch;
        n->place = reach->wanted_count;
        reach->wanted[reach->wanted_count++] = node;
    }
    *place = n->place;
    return PEN_OK;
}

/* ---- Looking up: the owner from the directory, the slot from the owner ------------------------------ */

/* The reply of an owner begins with this; a slot for each gid follows. */
typedef struct layout {
    int64_t capacity, shift, swapped;
} layout;

static int64_t reply_bytes(int64_t gids)
{
    return (int64_t)sizeof(layout) + (gids + gids % 2) * (int64_t)sizeof(pen_lid);
}

/* Reply with slots. This rank owns the nodes, since nodes change owners only between look-ups. */
static void reply_slots(const pen_store *store, pen_inquiry *inquiry)
{
    enum { TOGETHER = 64 };
    for (int b = 0; b < inquiry->received.count; b++) {
        const pen_gid *gid = (const pen_gid *)(const void *)(inquiry->received.data + inquiry->received.offsets[b]);
        int64_t count = (inquiry->received.offsets[b + 1] - inquiry->received.offsets[b]) / (int64_t)sizeof *gid;
        layout mine = { store->capacity, store->window.shift, store->swapped };
        unsigned char *reply = inquiry->outgoing.data + inquiry->outgoing.offsets[b];
        memcpy(reply, &mine, sizeof mine);
        pen_lid *slot = (pen_lid *)(void *)(reply + sizeof mine);
        uint64_t found[TOGETHER];
        for (int64_t i = 0; i < count; i++) {
            if (i % TOGETHER == 0)
                pen_pages_find_all(store->slot_of, count - i < TOGETHER ? count - i : TOGETHER, gid + i, found);
            if (found[i % TOGETHER] >= (uint64_t)store->owned) {
                pen_store_not_owner(store, gid[i]);
                pen_die("%s", pen_error_message());
            }
            slot[i] = (pen_lid)found[i % TOGETHER];
        }
    }
}

/* Add a rank to the owners, unless it is one of them. Its layout arrives with its reply. */
static pen_status add_owner(const pen_store *store, pen_reach *reach, int rank)
{
    if (pen_pages_find(reach->owner_of, rank)) return PEN_OK;
    if ((reach->owner_count & (reach->owner_count - 1)) == 0)
        PEN_TRY(PEN_REALLOC(&reach->owners, reach->owner_count ? 2 * (int64_t)reach->owner_count : 1));
    pen_reach_owner *o = &reach->owners[reach->owner_count];
    *o = (pen_reach_owner){ .at = { .rank = rank } };
    if (store->window.kind == PEN_WINDOW_SHARED) PEN_TRY(pen_window_direct(&store->window, rank, 0, &o->segment));
    PEN_TRY(PEN_ALLOC(&o->offsets, 2 * (int64_t)store->field_count));
    pen_status status = pen_pages_set(reach->owner_of, rank, (uint64_t)reach->owner_count);
    if (status != PEN_OK) {
        free(o->offsets);
        return status;
    }
    reach->owner_count++;
    return PEN_OK;
}

/* The place of a node: the index of its owner, and its slot there. */
typedef struct spot {
    int32_t owner;
    pen_lid slot;
} spot;

/* The nodes that have not been looked up yet, and the requests to their owners. */
typedef struct lookup {
    pen_lid count;
    pen_gid *gids;   /* [count] gids of the nodes; then [known] those with an owner */
    int32_t *owners; /* [count] owners of the nodes */
    int *ranks;      /* [known] owners of the nodes that have one */
    pen_lid known;
    int64_t *order; /* [known] place of each node in `requests` and in `spots` */
    spot *spots;    /* [known] places of the nodes, in that order */
    pen_blocks requests;
    int64_t *lengths; /* [requests.count] lengths of the replies */
} lookup;

static pen_status lookup_new(const pen_reach *reach, lookup *l)
{
    l->count = reach->count - reach->looked_up;
    PEN_TRY(PEN_ALLOC(&l->gids, l->count));
    PEN_TRY(PEN_ALLOC(&l->owners, l->count));
    PEN_TRY(PEN_ALLOC(&l->ranks, l->count));
    PEN_TRY(PEN_ALLOC(&l->order, l->count));
    PEN_TRY(PEN_ALLOC(&l->spots, l->count));
    for (pen_lid i = 0; i < l->count; i++) l->gids[i] = reach->nodes[reach->looked_up + i].gid;
    return PEN_OK;
}

static void lookup_free(lookup *l)
{
    PEN_FREE_ALL(l->gids, l->owners, l->ranks, l->order, l->spots, l->lengths);
    pen_blocks_free(&l->requests);
}

/* Make the requests to the owners of the nodes that exist, and know how long each reply is. */
static pen_status make_requests(const pen_store *store, pen_reach *reach, lookup *l)
{
    for (pen_lid i = 0; i < l->count; i++) {
        if (l->owners[i] == PEN_OWNER_UNKNOWN) continue;
        l->gids[l->known] = l->gids[i];
        l->ranks[l->known++] = l->owners[i];
    }
    PEN_TRY(pen_blocks_group(l->known, l->ranks, l->gids, sizeof *l->gids, &l->requests, l->order));
    PEN_TRY(PEN_ALLOC(&l->lengths, l->requests.count));
    for (int b = 0; b < l->requests.count; b++) {
        PEN_TRY(add_owner(store, reach, l->requests.ranks[b]));
        l->lengths[b] = reply_bytes((l->requests.offsets[b + 1] - l->requests.offsets[b]) / (int64_t)sizeof *l->gids);
    }
    return PEN_OK;
}

/* Store the layout of an owner's window. */
static void receive_layout(const pen_halo *halo, pen_reach_owner *owner, const layout *its)
{
    const pen_store *store = halo->store;
    owner->at.capacity = (pen_lid)its->capacity;
    owner->at.shift = its->shift;
    for (int f = 0; f < store->field_count; f++)
        for (int plane = 0; plane < 2; plane++)
            owner->offsets[2 * f + plane] = pen_store_offset(store, owner->at.capacity, its->swapped, f, plane);
    if (owner->segment) owner->at.direct = owner->segment + its->shift;
}

/* Store the slots from the replies, which are in the order of the requests, by rank. */
static void receive_slots(const pen_halo *halo, pen_reach *reach, const lookup *l, const pen_blocks *replies)
{
    spot *next = l->spots;
    for (int b = 0; b < replies->count; b++) {
        const layout *its = (const layout *)(const void *)(replies->data + replies->offsets[b]);
        const pen_lid *slots = (const pen_lid *)(const void *)(its + 1);
        int64_t count = (l->requests.offsets[b + 1] - l->requests.offsets[b]) / (int64_t)sizeof(pen_gid);
        int32_t owner = (int32_t)*pen_pages_find(reach->owner_of, replies->ranks[b]);
        receive_layout(halo, &reach->owners[owner], its);
        for (int64_t i = 0; i < count; i++) *next++ = (spot){ owner, slots[i] };
    }
}

/* Store where the nodes are. A node without an owner does not exist; that counts as looked up, too. */
static void store_places(pen_reach *reach, const lookup *l)
{
    for (pen_lid i = 0, k = 0; i < l->count; i++) {
        if (l->owners[i] == PEN_OWNER_UNKNOWN) continue;
        spot there = l->spots[l->order[k++]];
        reach->nodes[reach->looked_up + i].owner = there.owner;
        reach->nodes[reach->looked_up + i].slot = there.slot;
    }
    reach->looked_up = reach->count;
}

/* Collective. Look up the nodes that were requested for the first time. */
static pen_status look_up(pen_halo *halo, pen_reach *reach)
{
    pen_store *store = halo->store;
    lookup l = { 0 };
    pen_inquiry inquiry = { 0 };
    pen_status status = lookup_new(reach, &l);
    status = pen_directory_resolve_with(store->directory, status, l.count, l.gids, l.owners);
    if (status == PEN_OK) {
        status = make_requests(store, reach, &l);
        status = pen_sparse_request(store->comm, status, &l.requests, l.lengths, &inquiry);
    }
    if (status == PEN_OK) {
        reply_slots(store, &inquiry);
        status = pen_sparse_reply(store->comm, &inquiry);
    }
    if (status == PEN_OK) {
        receive_slots(halo, reach, &l, &inquiry.replies);
        store_places(reach, &l);
    }
    pen_inquiry_free(&inquiry);
    lookup_free(&l);
    return status;
}

/* ---- Reading -------------------------------------------------------------------------------------- */

static int64_t padded(int64_t bytes) { return (bytes + PEN_CACHE_LINE - 1) / PEN_CACHE_LINE * PEN_CACHE_LINE; }

/* Allocate memory for the records of the batch, aligned like planes. */
static pen_status make_room(const pen_store *store, pen_reach *reach, uint64_t fields)
{
    int64_t bytes = PEN_CACHE_LINE;
    for (int f = 0; f < store->field_count; f++)
        if (fields >> f & 1) bytes += padded(reach->wanted_count * (int64_t)store->sizes[f]);
    if (bytes > reach->memory_bytes) {
        unsigned char *memory;
        PEN_TRY(pen_alloc(&memory, bytes + bytes / 2, 1));
        free(reach->memory);
        reach->memory = memory;
        reach->memory_bytes = bytes + bytes / 2;
    }
    int64_t at = (PEN_CACHE_LINE - (int64_t)((uintptr_t)reach->memory % PEN_CACHE_LINE)) % PEN_CACHE_LINE;
    for (int f = 0; f < store->field_count; f++) {
        reach->records[f] = NULL;
        if (!(fields >> f & 1)) continue;
        reach->records[f] = reach->memory + at;
        at += padded(reach->wanted_count * (int64_t)store->sizes[f]);
    }
    return PEN_OK;
}

/* The number of places from `place` on that are contiguous at one owner; 0: the node does not exist. */
static pen_lid stretch_at(const pen_reach *reach, pen_lid place)
{
    const pen_reach_node *first = &reach->nodes[reach->wanted[place]];
    if (first->owner == NO_OWNER) return 0;
    pen_lid length = 1;
    for (; place + length < reach->wanted_count; length++) {
        const pen_reach_node *next = &reach->nodes[reach->wanted[place + length]];
        if (next->owner != first->owner || next->slot != first->slot + length) break;
    }
    return length;
}

/* Prefetch a record, so that records that are loaded in a row wait for memory at the same time. */
static void prefetch_record(const pen_halo *halo, const pen_reach *reach, int field, pen_lid place)
{
    const pen_store *store = halo->store;
    if (place >= reach->wanted_count) return;
    const pen_reach_node *node = &reach->nodes[reach->wanted[place]];
    if (node->owner == NO_OWNER || !reach->owners[node->owner].at.direct) return;
    const pen_reach_owner *owner = &reach->owners[node->owner];
    __builtin_prefetch(owner->at.direct + owner->offsets[2 * field + store->plane[field]] +
                       node->slot * (int64_t)store->sizes[field]);
}

/* Get the records of a field of the batch, with one get for places that are contiguous at one owner. */
static void get_stretches(pen_halo *halo, const pen_reach *reach, int field)
{
    enum { AHEAD = 16 };
    const pen_store *store = halo->store;
    int64_t size = (int64_t)store->sizes[field];
    for (pen_lid place = 0, next; place < reach->wanted_count; place = next) {
        prefetch_record(halo, reach, field, place + AHEAD);
        pen_lid length = stretch_at(reach, place);
        next = place + (length > 0 ? length : 1);
        if (length == 0) continue;
        const pen_reach_node *node = &reach->nodes[reach->wanted[place]];
        const pen_reach_owner *owner = &reach->owners[node->owner];
        int64_t offset = owner->offsets[2 * field + store->plane[field]] + node->slot * size;
        unsigned char *to = (unsigned char *)reach->records[field] + place * size;
        if (owner->at.direct) memcpy(to, owner->at.direct + offset, (size_t)(length * size));
        else pen_get(owner->at.rank, store->window.mpi, owner->at.shift + offset, to, length * size);
        halo->far_gets++;
        halo->far_bytes += length * size;
    }
}

/* ---- Reading, two-sided ----------------------------------------------------------------------------- */

/* Reply with the records of the requested slots: all fields of a slot, then those of the next one. */
static pen_status reply_records(const pen_store *store, const pen_blocks *requests, uint64_t fields, int64_t record,
                                pen_blocks *reply)
{
    int64_t count = pen_blocks_bytes(requests) / (int64_t)sizeof(pen_lid);
    PEN_TRY(PEN_ALLOC(&reply->ranks, requests->count));
    PEN_TRY(PEN_ALLOC_ZERO(&reply->offsets, (int64_t)requests->count + 1));
    PEN_TRY(pen_alloc(&reply->data, count, (size_t)record));
    const pen_lid *slots = (const pen_lid *)(const void *)requests->data;
    unsigned char *to = reply->data;
    for (int64_t i = 0; i < count; i++)
        for (int f = 0; f < store->field_count; f++) {
            if (!(fields >> f & 1)) continue;
            memcpy(to, pen_store_plane(store, f, 0) + (size_t)slots[i] * store->sizes[f], store->sizes[f]);
            to += store->sizes[f];
        }
    for (int b = 0; b < requests->count; b++) {
        reply->ranks[reply->count++] = requests->ranks[b];
        reply->offsets[b + 1] = requests->offsets[b + 1] / (int64_t)sizeof(pen_lid) * record;
    }
    return PEN_OK;
}

/* Copy the records of a node, all fields in a row as reply_records has put them, to their place in the batch. */
static void unpack(const pen_store *store, pen_lid place, uint64_t fields, const unsigned char *from,
                   void *const *records)
{
    for (int f = 0; f < store->field_count; f++) {
        if (!(fields >> f & 1)) continue;
        memcpy((unsigned char *)records[f] + (size_t)place * store->sizes[f], from, store->sizes[f]);
        from += store->sizes[f];
    }
}

/* Requests to the owners of the wanted nodes, by slot. order[i] is the place of places[i] in the replies. */
typedef struct demand {
    pen_lid count, *places, *slots;
    int *ranks;
    int64_t *order;
    pen_blocks requests, replies;
} demand;

static pen_status demand_new(const pen_reach *reach, demand *d)
{
    PEN_TRY(PEN_ALLOC(&d->places, reach->wanted_count));
    PEN_TRY(PEN_ALLOC(&d->slots, reach->wanted_count));
    PEN_TRY(PEN_ALLOC(&d->ranks, reach->wanted_count));
    PEN_TRY(PEN_ALLOC(&d->order, reach->wanted_count));
    for (pen_lid place = 0; place < reach->wanted_count; place++) {
        const pen_reach_node *node = &reach->nodes[reach->wanted[place]];
        if (node->owner == NO_OWNER) continue;
        d->places[d->count] = place;
        d->slots[d->count] = node->slot;
        d->ranks[d->count++] = reach->owners[node->owner].at.rank;
    }
    return pen_blocks_group(d->count, d->ranks, d->slots, sizeof *d->slots, &d->requests, d->order);
}

static void demand_free(demand *d)
{
    PEN_FREE_ALL(d->places, d->slots, d->ranks, d->order);
    pen_blocks_free(&d->requests);
    pen_blocks_free(&d->replies);
}

/* Collective. Read the records of the batch where no window reaches all owners: they reply to messages. */
static pen_status read_two_sided(pen_halo *halo, pen_reach *reach, uint64_t fields)
{
    const pen_store *store = halo->store;
    int64_t record = 0;
    for (int f = 0; f < store->field_count; f++)
        if (fields >> f & 1) record += (int64_t)store->sizes[f];
    demand d = { 0 };
    pen_blocks requests = { 0 }, reply = { 0 };
    pen_status status = demand_new(reach, &d);
    status = pen_sparse_exchange(store->comm, status, &d.requests, &requests);
    if (status == PEN_OK) {
        status = reply_records(store, &requests, fields, record, &reply);
        status = pen_sparse_exchange(store->comm, status, &reply, &d.replies);
    }
    if (status == PEN_OK)
        for (pen_lid i = 0; i < d.count; i++)
            unpack(store, d.places[i], fields, d.replies.data + d.order[i] * record, reach->records);
    if (status == PEN_OK) {
        halo->far_gets += d.replies.count;
        halo->far_bytes += d.count * record;
    }
    pen_blocks_free(&requests);
    pen_blocks_free(&reply);
    demand_free(&d);
    return status;
}

/* ---- The collective read ------------------------------------------------------------------------------ */

pen_status pen_reach_read(pen_halo *halo, pen_reach *reach, pen_status mine, uint64_t fields)
{
    enum { FAILED = 1, UNKNOWN = 2, WANTED = 4 };
    pen_store *store = halo->store;
    const pen_transport *transport = halo->transport;
    if (mine == PEN_OK) mine = make_room(store, reach, fields);
    uint64_t said[2] = { FAILED, fields }, all[2];
    if (mine == PEN_OK)
        said[0] = (reach->count > reach->looked_up ? UNKNOWN : 0) | (reach->wanted_count > 0 ? WANTED : 0);
    if (transport->far_order) transport->far_order(halo, store->window.mpi);
    PEN_TRY(pen_all_reduce(store->comm, said, all, 2, MPI_UINT64_T, MPI_BOR));
    if (transport->far_order) transport->far_order(halo, store->window.mpi);
    if (all[0] & FAILED) return pen_agree(store->comm, mine);
    /* If every rank has named one field, either all ranks see the difference here, or none does. */
    PEN_ARGUMENT(all[1] == fields, "unequal on the ranks of a collective call: field");
    if (all[0] & UNKNOWN) PEN_TRY(look_up(halo, reach));
    if (!(all[0] & WANTED)) return PEN_OK;
    if (!transport->far_end || store->window.kind == PEN_WINDOW_HOSTS) return read_two_sided(halo, reach, fields);
    if (transport->far_begin) transport->far_begin(halo, store->window.mpi);
    for (int f = 0; f < store->field_count; f++)
        if (fields >> f & 1) get_stretches(halo, reach, f);
    transport->far_end(halo, store->window.mpi);
    return PEN_OK;
}
