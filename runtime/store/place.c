#include "place.h"
#include "memory.h"

#include <stdlib.h>

/* A boundary node and the set of ranks that want it. */
typedef struct wanted_node {
    pen_gid gid;
    pen_lid row;              /* its place in the rows */
    int32_t wanted_by;        /* how many ranks */
    int32_t *consumers;       /* [wanted_by] ascending */
} wanted_node;

typedef struct placing {
    pen_store *store;
    const pen_rows *rows;
    pen_gid *foreign;         /* [store->shadows] ascending: neighbours that others own */
    int32_t *foreign_owner;   /* [store->shadows] */
    pen_blocks asked;         /* gids that the consumers want, a block each */
    wanted_node *wanted;      /* [store->boundary] */
    pen_lid *wanted_at;       /* [rows->count] the place of a row's node in `wanted`, or NOT_WANTED */
    int32_t *consumers;       /* of the nodes in `wanted`, node after node */
    pen_lid *row;             /* [rows->count] by slot: the node's place in the rows */
} placing;

enum { NOT_WANTED = -1 };

static int compare_gids(const void *a, const void *b)
{
    pen_gid x = *(const pen_gid *)a, y = *(const pen_gid *)b;
    return (x > y) - (x < y);
}

static int compare_lids(const void *a, const void *b)
{
    pen_lid x = *(const pen_lid *)a, y = *(const pen_lid *)b;
    return (x > y) - (x < y);
}

/* By signature: lexicographic order of the sets {1} {1,2} {2} keeps what one consumer wants in few
 * runs. Ties ascend by gid. */
static int compare_wanted(const void *a, const void *b)
{
    const wanted_node *x = (const wanted_node *)a, *y = (const wanted_node *)b;
    for (int32_t i = 0; i < x->wanted_by && i < y->wanted_by; i++)
        if (x->consumers[i] != y->consumers[i]) return x->consumers[i] < y->consumers[i] ? -1 : 1;
    if (x->wanted_by != y->wanted_by) return x->wanted_by < y->wanted_by ? -1 : 1;
    return (x->gid > y->gid) - (x->gid < y->gid);
}

static pen_status index_rows(placing *p)
{
    PEN_TRY(pen_pages_create(p->rows->count, &p->store->slot_of));
    for (pen_lid i = 0; i < p->rows->count; i++)
        PEN_TRY(pen_pages_set(p->store->slot_of, pen_row_gid(p->rows->records[i]), (uint64_t)i));
    return PEN_OK;
}

static pen_status announce(placing *p, pen_status status)
{
    pen_gid *gids = NULL;
    int32_t *owners = NULL;
    if (status == PEN_OK) status = PEN_ALLOC(&gids, p->rows->count);
    if (status == PEN_OK) status = PEN_ALLOC(&owners, p->rows->count);
    for (pen_lid i = 0; status == PEN_OK && i < p->rows->count; i++) {
        gids[i] = pen_row_gid(p->rows->records[i]);
        owners[i] = p->store->comm->rank;
    }
    status = pen_directory_update(p->store->directory, status, status == PEN_OK ? p->rows->count : 0, gids, owners, NULL);
    free(gids);
    free(owners);
    return status;
}

/* The neighbours that are not among the rows' nodes, each once. */
static pen_status find_foreign(placing *p)
{
    int64_t count = 0, room = 0;
    for (pen_lid i = 0; i < p->rows->count; i++) {
        const int64_t *record = p->rows->records[i];
        for (int64_t j = 0; j < pen_row_degree(record); j++) {
            pen_gid gid = pen_row_neighbors(record)[j];
            if (pen_pages_find(p->store->slot_of, gid)) continue;
            if (count == room) {
                room = room ? 2 * room : 256;
                PEN_TRY(PEN_REALLOC(&p->foreign, room));
            }
            p->foreign[count++] = gid;
        }
    }
    int64_t unique = 0;
    if (count > 0) qsort(p->foreign, (size_t)count, sizeof *p->foreign, compare_gids);
    for (int64_t i = 0; i < count; i++)
        if (i == 0 || p->foreign[i] != p->foreign[i - 1]) p->foreign[unique++] = p->foreign[i];
    PEN_TRY(PEN_REALLOC(&p->foreign, unique));
    PEN_TRY(PEN_ALLOC(&p->foreign_owner, unique));
    return pen_to_lid(unique, "shadows", &p->store->shadows);
}

/* The nodes that are asked for, each once, and how often. */
static pen_status find_wanted(placing *p)
{
    const pen_blocks *asked = &p->asked;
    int64_t total = asked->count ? asked->offsets[asked->count] / (int64_t)sizeof(pen_gid) : 0;
    const pen_gid *gids = (const pen_gid *)(const void *)asked->data;
    PEN_TRY(PEN_ALLOC(&p->wanted_at, p->rows->count));
    PEN_TRY(PEN_ALLOC(&p->wanted, total < p->rows->count ? total : p->rows->count));
    PEN_TRY(PEN_ALLOC(&p->consumers, total));
    for (pen_lid i = 0; i < p->rows->count; i++) p->wanted_at[i] = NOT_WANTED;
    for (int64_t i = 0; i < total; i++) {
        const uint64_t *row = pen_pages_find(p->store->slot_of, gids[i]);
        if (!row)
            return pen_fail(PEN_ERR_INTERNAL, "node %" PRIgid " was asked of rank %d, which does not own it", gids[i],
                            p->store->comm->rank);
        if (p->wanted_at[*row] == NOT_WANTED) {
            p->wanted[p->store->boundary] = (wanted_node){ .gid = gids[i], .row = (pen_lid)*row };
            p->wanted_at[*row] = p->store->boundary++;
        }
        p->wanted[p->wanted_at[*row]].wanted_by++;
    }
    return PEN_OK;
}

/* Their consumers, in ascending order since the asking ranks are. */
static void fill_consumers(placing *p)
{
    const pen_blocks *asked = &p->asked;
    const pen_gid *gids = (const pen_gid *)(const void *)asked->data;
    int32_t *next = p->consumers;
    for (pen_lid i = 0; i < p->store->boundary; i++) {
        p->wanted[i].consumers = next;
        next += p->wanted[i].wanted_by;
        p->wanted[i].wanted_by = 0;
    }
    for (int block = 0; block < asked->count; block++)
        for (int64_t at = asked->offsets[block]; at < asked->offsets[block + 1]; at += (int64_t)sizeof(pen_gid)) {
            uint64_t row = *pen_pages_find(p->store->slot_of, gids[at / (int64_t)sizeof(pen_gid)]);
            wanted_node *node = &p->wanted[p->wanted_at[row]];
            node->consumers[node->wanted_by++] = asked->ranks[block];
        }
}

/* Boundary nodes by signature, then interior nodes in the order of the rows, which ascend by gid. */
static pen_status assign_slots(placing *p)
{
    pen_store *store = p->store;
    PEN_TRY(find_wanted(p));
    fill_consumers(p);
    if (store->boundary > 0) qsort(p->wanted, (size_t)store->boundary, sizeof *p->wanted, compare_wanted);
    store->owned = p->rows->count;
    PEN_TRY(PEN_ALLOC(&p->row, store->owned));
    PEN_TRY(PEN_ALLOC(&store->gids, (int64_t)store->owned + store->shadows));
    pen_lid slot = 0;
    for (; slot < store->boundary; slot++) p->row[slot] = p->wanted[slot].row;
    for (pen_lid i = 0; i < store->owned; i++)
        if (p->wanted_at[i] == NOT_WANTED) p->row[slot++] = i;
    for (slot = 0; slot < store->owned; slot++) {
        store->gids[slot] = pen_row_gid(p->rows->records[p->row[slot]]);
        PEN_TRY(pen_pages_set(store->slot_of, store->gids[slot], (uint64_t)slot));
    }
    int64_t capacity = (int64_t)store->owned + store->shadows;
    return pen_to_lid(capacity, "nodes and shadows", &store->capacity);
}

/* Answer each consumer with the slots of what it asked for, in its order, and keep them, ascending,
 * as what it will pull. */
static pen_status answer_consumers(placing *p, pen_blocks *answer)
{
    pen_store *store = p->store;
    const pen_blocks *asked = &p->asked;
    const pen_gid *gids = (const pen_gid *)(const void *)asked->data;
    PEN_TRY(PEN_ALLOC_ZERO(&store->consumers, asked->count));
    PEN_TRY(PEN_ALLOC(&answer->ranks, asked->count));
    PEN_TRY(PEN_ALLOC_ZERO(&answer->offsets, asked->count + 1));
    int64_t bytes = asked->count ? asked->offsets[asked->count] / 2 : 0; /* 4 bytes of slot for 8 of gid */
    PEN_TRY(pen_alloc(&answer->data, bytes, 1));
    for (int block = 0; block < asked->count; block++) {
        pen_partner *consumer = &store->consumers[block];
        int64_t first = asked->offsets[block] / (int64_t)sizeof(pen_gid);
        consumer->rank = answer->ranks[block] = asked->ranks[block];
        consumer->count = (pen_lid)((asked->offsets[block + 1] - asked->offsets[block]) / (int64_t)sizeof(pen_gid));
        answer->offsets[block + 1] = asked->offsets[block + 1] / 2;
        store->consumer_count = block + 1;
        PEN_TRY(PEN_ALLOC(&consumer->slots, consumer->count));
        for (pen_lid i = 0; i < consumer->count; i++)
            consumer->slots[i] = (pen_lid)*pen_pages_find(store->slot_of, gids[first + i]);
        memcpy(answer->data + answer->offsets[block], consumer->slots, (size_t)consumer->count * sizeof(pen_lid));
        qsort(consumer->slots, (size_t)consumer->count, sizeof(pen_lid), compare_lids);
    }
    answer->count = asked->count;
    return PEN_OK;
}

typedef struct shadow {
    pen_lid slot; /* at its producer */
    pen_gid gid;
} shadow;

static int compare_shadows(const void *a, const void *b)
{
    const shadow *x = (const shadow *)a, *y = (const shadow *)b;
    return (x->slot > y->slot) - (x->slot < y->slot);
}

/* `wanted` is what this rank asked, block by producer; `told` are the slots, in the same order. */
static pen_status place_shadows(placing *p, const pen_blocks *wanted, const pen_blocks *told)
{
    pen_store *store = p->store;
    if (told->count != wanted->count) return pen_fail(PEN_ERR_INTERNAL, "a producer did not answer");
    PEN_TRY(PEN_ALLOC_ZERO(&store->producers, wanted->count));
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
        for (pen_lid i = 0; i < producer->count; i++) shadows[i] = (shadow){ slots[i], gids[i] };
        qsort(shadows, (size_t)producer->count, sizeof *shadows, compare_shadows);
        status = PEN_ALLOC(&producer->slots, producer->count);
        for (pen_lid i = 0; i < producer->count && status == PEN_OK; i++) {
            producer->slots[i] = shadows[i].slot;
            store->gids[next] = shadows[i].gid;
            status = pen_pages_set(store->slot_of, shadows[i].gid, (uint64_t)next++);
        }
    }
    free(shadows);
    return status;
}

static pen_status build_adjacency(placing *p)
{
    pen_store *store = p->store;
    int64_t arcs = 0;
    for (pen_lid i = 0; i < store->owned; i++) arcs += pen_row_degree(p->rows->records[i]);
    if (arcs > UINT32_MAX)
        return pen_fail(PEN_ERR_UNSUPPORTED, "%" PRId64 " arcs on one rank, at most %" PRIu32 " are possible: use more ranks",
                        arcs, UINT32_MAX);
    PEN_TRY(PEN_ALLOC(&store->rows, (int64_t)store->owned + 1));
    PEN_TRY(PEN_ALLOC(&store->columns, arcs));
    if (p->rows->loads) PEN_TRY(PEN_ALLOC(&store->node_weights, store->owned));
    if (p->rows->edge_weights) PEN_TRY(PEN_ALLOC(&store->edge_weights, arcs));
    uint32_t at = 0;
    for (pen_lid slot = 0; slot < store->owned; slot++) {
        const int64_t *record = p->rows->records[p->row[slot]];
        const pen_gid *neighbors = pen_row_neighbors(record);
        int64_t degree = pen_row_degree(record);
        store->rows[slot] = at;
        if (store->node_weights) store->node_weights[slot] = pen_row_load(record);
        if (store->edge_weights)
            memcpy(store->edge_weights + at, pen_row_edge_weights(record), (size_t)degree * sizeof(int64_t));
        for (int64_t j = 0; j < degree; j++) store->columns[at++] = (pen_lid)*pen_pages_find(store->slot_of, neighbors[j]);
    }
    store->rows[store->owned] = at;
    return PEN_OK;
}

/* Ask the owners of the foreign neighbours for their slots. */
static pen_status ask_producers(placing *p, pen_status status)
{
    pen_store *store = p->store;
    pen_blocks wanted = { 0 }, answer = { 0 }, told = { 0 };
    status = pen_directory_resolve(store->directory, status, status == PEN_OK ? store->shadows : 0, p->foreign,
                                   p->foreign_owner);
    if (status != PEN_OK) return status;
    for (pen_lid i = 0; i < store->shadows && status == PEN_OK; i++)
        if (p->foreign_owner[i] == PEN_OWNER_UNKNOWN)
            status = pen_fail(PEN_ERR_INTERNAL, "nobody owns node %" PRIgid ", a neighbour", p->foreign[i]);
    if (status == PEN_OK)
        status = pen_blocks_group(store->shadows, p->foreign_owner, p->foreign, sizeof(pen_gid), &wanted, NULL);
    status = pen_sparse_exchange(store->comm, status, &wanted, &p->asked);
    if (status == PEN_OK) {
        status = assign_slots(p);
        if (status == PEN_OK) status = answer_consumers(p, &answer);
        status = pen_sparse_exchange(store->comm, status, &answer, &told);
    }
    if (status == PEN_OK) {
        status = place_shadows(p, &wanted, &told);
        if (status == PEN_OK) status = build_adjacency(p);
        status = pen_agree(store->comm, status);
    }
    pen_blocks_free(&wanted);
    pen_blocks_free(&answer);
    pen_blocks_free(&told);
    return status;
}

pen_status pen_place(pen_store *store, const pen_rows *rows)
{
    placing p = { .store = store, .rows = rows };
    PEN_TRY(pen_directory_create(store->comm, rows->count, &store->directory));
    pen_status status = announce(&p, index_rows(&p));
    if (status == PEN_OK) status = ask_producers(&p, find_foreign(&p));
    free(p.foreign);
    free(p.foreign_owner);
    pen_blocks_free(&p.asked);
    free(p.wanted);
    free(p.wanted_at);
    free(p.consumers);
    free(p.row);
    return status;
}
