/* sequence.c - brings all nodes into the order of gids, and delivers their values in that order. */
#include "output/sequence.h"
#include "base/memory.h"
#include "store/ordering.h"

#include <stdlib.h>

/* ---- The order of gids -------------------------------------------------------------------------- */

void pen_sequence_free(pen_sequence *s)
{
    PEN_FREE_ALL(s->shares, s->slots, s->places);
    *s = (pen_sequence){ .shares = NULL };
}

static pen_status allocate(const pen_comm *comm, const pen_store *store, pen_sequence *s)
{
    s->ranks = comm->size;
    PEN_TRY(PEN_ALLOC(&s->shares, (store->owned < comm->size ? store->owned : comm->size) + INT64_C(1)));
    s->shares[0] = (pen_share){ comm->size, 0 };
    PEN_TRY(PEN_ALLOC(&s->slots, store->owned));
    return pen_ordering_by_gid(store, s->slots);
}

/* The next share, of `rank`, ends at slots[end]; shares without nodes are not listed. */
static void append_share(pen_sequence *s, int rank, int64_t end)
{
    pen_share *share = &s->shares[s->share_count];
    if (end == share->begin) return;
    share[1] = (pen_share){ s->ranks, (pen_lid)end };
    share->rank = rank;
    s->share_count++;
}

/* The number of this rank's nodes with gids below `gid`. */
static int64_t count_below(const pen_store *store, const pen_sequence *s, pen_gid gid)
{
    int64_t low = 0, high = store->owned;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (store->gids[s->slots[middle]] < gid) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* ---- Sparse gids -------------------------------------------------------------------------------- */

typedef struct bounds {
    pen_gid low, high; /* the first gid of a rank's part is in [low, high] */
    pen_gid middle;
} bounds;

/* Collective. Find the first gids of all parts by bisection, all at once. The first gid of a part is the lowest gid
 * that has as many gids below it as the earlier parts have nodes; parts at the end that are empty have none, since
 * there is no gid above the largest one. counts is [ranks]. */
static pen_status find_parts(pen_comm *comm, const pen_store *store, pen_sequence *s, bounds *b, int64_t *counts)
{
    for (int r = 0; r < comm->size; r++) b[r] = (bounds){ 0, r > 0 ? s->largest : 0, 0 };
    for (bool open = true; open;) {
        for (int r = 0; r < comm->size; r++) {
            b[r].middle = b[r].low + (b[r].high - b[r].low) / 2;
            counts[r] = count_below(store, s, b[r].middle);
        }
        PEN_TRY(pen_all_reduce(comm, MPI_IN_PLACE, counts, comm->size, MPI_INT64_T, MPI_SUM));
        open = false;
        for (int r = 0; r < comm->size; r++) {
            if (b[r].low == b[r].high) continue;
            if (counts[r] < pen_sequence_start(s, r)) b[r].low = b[r].middle + 1;
            else b[r].high = b[r].middle;
            open = open || b[r].low < b[r].high;
        }
    }
    for (int r = 0; r < comm->size; r++)
        append_share(s, r,
                     pen_sequence_start(s, r + 1) < s->count ? count_below(store, s, b[r + 1].high) : store->owned);
    return PEN_OK;
}

/* A requested gid, and its position in the request. */
typedef struct asked_gid {
    pen_gid gid; /* the gid; the first member, because it is the sort key */
    int64_t at;
} asked_gid;

/* Local. Reply to each request with the places of its gids in this rank's part. */
static pen_status reply(pen_inquiry *inquiry)
{
    const pen_blocks *asked = &inquiry->received;
    const int64_t count = pen_blocks_bytes(asked) / (int64_t)sizeof(pen_gid);
    asked_gid *gids;
    PEN_TRY(PEN_ALLOC(&gids, count));
    for (int64_t i = 0; i < count; i++) {
        memcpy(&gids[i].gid, asked->data + i * (int64_t)sizeof(pen_gid), sizeof(pen_gid));
        gids[i].at = i;
    }
    if (count > 0) qsort(gids, (size_t)count, sizeof *gids, pen_by_gid);
    for (int64_t i = 0; i < count; i++) {
        const uint32_t place = (uint32_t)i;
        memcpy(inquiry->outgoing.data + gids[i].at * (int64_t)sizeof place, &place, sizeof place);
    }
    free(gids);
    return PEN_OK;
}

static pen_status pack_gids(const pen_comm *comm, const pen_store *store, const pen_sequence *s, pen_blocks *questions,
                            int64_t **reply_bytes)
{
    PEN_TRY(PEN_ALLOC_ZERO(reply_bytes, comm->size));
    for (const pen_share *share = s->shares; share < s->shares + s->share_count; share++)
        (*reply_bytes)[share->rank] = (share[1].begin - share->begin) * (int64_t)sizeof(pen_gid);
    PEN_TRY(pen_blocks_open(comm->size, *reply_bytes, questions));
    for (int64_t i = 0; i < store->owned; i++)
        memcpy(questions->data + i * (int64_t)sizeof(pen_gid), &store->gids[s->slots[i]], sizeof(pen_gid));
    for (int b = 0; b < questions->count; b++)
        (*reply_bytes)[b] = (questions->offsets[b + 1] - questions->offsets[b]) / (int64_t)sizeof(pen_gid) *
                            (int64_t)sizeof(uint32_t);
    return PEN_OK;
}

/* Collective. Ask the ranks of the parts for the positions of this rank's nodes in the parts. */
static pen_status find_places(pen_comm *comm, const pen_store *store, pen_sequence *s)
{
    pen_inquiry inquiry = { .requests = NULL };
    pen_blocks questions = { .count = 0 };
    int64_t *reply_bytes = NULL;
    pen_status status = pack_gids(comm, store, s, &questions, &reply_bytes);
    if (status == PEN_OK) status = PEN_ALLOC(&s->places, store->owned);
    status = pen_sparse_request(comm, status, &questions, reply_bytes, &inquiry);
    pen_blocks_free(&questions);
    if (status == PEN_OK) status = pen_agree(comm, reply(&inquiry));
    if (status == PEN_OK) status = pen_sparse_reply(comm, &inquiry);
    if (status == PEN_OK && store->owned > 0)
        memcpy(s->places, inquiry.replies.data, (size_t)store->owned * sizeof *s->places);
    free(reply_bytes);
    pen_inquiry_free(&inquiry);
    return status;
}

/* Collective. Cut the nodes into parts if gids are sparse. */
static pen_status cut_sparse(pen_comm *comm, const pen_store *store, pen_sequence *s)
{
    bounds *b = NULL;
    int64_t *counts = NULL;
    pen_status status = PEN_ALLOC(&b, comm->size);
    if (status == PEN_OK) status = PEN_ALLOC(&counts, comm->size);
    status = pen_agree(comm, status);
    if (status == PEN_OK) status = find_parts(comm, store, s, b, counts);
    PEN_FREE_ALL(b, counts);
    return status == PEN_OK ? find_places(comm, store, s) : status;
}

/* ---- Making the sequence ------------------------------------------------------------------------ */

/* Collective. Fill an empty sequence. */
static pen_status make(pen_comm *comm, const pen_store *store, pen_sequence *s)
{
    PEN_TRY(pen_agree(comm, allocate(comm, store, s)));
    PEN_TRY(pen_max_int(comm, store->owned > 0 ? store->gids[s->slots[store->owned - 1]] : -1, &s->largest));
    PEN_TRY(pen_sum_int(comm, store->owned, &s->count));
    s->dense = s->largest == s->count - 1;
    if (!s->dense) return cut_sparse(comm, store, s);
    for (int64_t i = 0; i < store->owned; i = s->shares[s->share_count].begin) {
        const int rank = pen_block_rank(s->count, comm->size, store->gids[s->slots[i]]);
        append_share(s, rank, count_below(store, s, pen_sequence_start(s, rank + 1)));
    }
    return PEN_OK;
}

pen_status pen_sequence_make(pen_comm *comm, const pen_store *store, pen_sequence *sequence)
{
    pen_sequence s = { .version = store->migrations };
    pen_status status = make(comm, store, &s);
    if (status == PEN_OK) *sequence = s;
    else pen_sequence_free(&s);
    return status;
}

/* ---- Delivery of values ------------------------------------------------------------------------- */

PEN_PER_RANK int64_t pen_piece_bytes = 1 << 20;

typedef struct delivery {
    pen_comm *comm;
    const pen_store *store;
    const pen_sequence *sequence;
    const pen_columns *columns;
    const pen_lists *lists;
    int64_t most;   /* largest number of nodes in a piece */
    int64_t *next;  /* [shares] index of the first node of a share that is not sent yet */
    int64_t *end;   /* [shares] end of the nodes of a share that are sent with the present piece */
    int64_t *bytes; /* [shares] */
    int own;        /* the share of this rank's nodes in its own part; -1: there is none */
    pen_piece piece;
    int64_t *counts; /* [most] lengths of the nodes' lists */
    int64_t entries; /* number of allocated entries of lists */
} delivery;

/* ---- Copies --------------------------------------------------------------------------------------------------- */

/* Copy `count` values of `bytes` bytes: value i from from + slots[i] * stride to place[i] in `to`. slots or place NULL:
 * use i. */
static inline void copy_each(int64_t count, size_t bytes, const unsigned char *from, size_t stride,
                             const pen_lid *slots, unsigned char *to, const uint32_t *place)
{
    for (int64_t i = 0; i < count; i++)
        memcpy(to + (place ? (size_t)place[i] : (size_t)i) * bytes,
               from + (slots ? (size_t)slots[i] : (size_t)i) * stride, bytes);
}

/* Copy values; the usual sizes are constants that the compiler knows. */
static void copy_values(int64_t count, size_t bytes, const unsigned char *from, size_t stride, const pen_lid *slots,
                        unsigned char *to, const uint32_t *place)
{
    switch (bytes) {
    case 1: copy_each(count, 1, from, stride, slots, to, place); break;
    case 4: copy_each(count, 4, from, stride, slots, to, place); break;
    case 8: copy_each(count, 8, from, stride, slots, to, place); break;
    case 16: copy_each(count, 16, from, stride, slots, to, place); break;
    case 24: copy_each(count, 24, from, stride, slots, to, place); break;
    default: copy_each(count, bytes, from, stride, slots, to, place); break;
    }
}

static void fill_owner(int64_t count, int32_t owner, unsigned char *to, const uint32_t *place)
{
    for (int64_t i = 0; i < count; i++) memcpy(to + (size_t)place[i] * sizeof owner, &owner, sizeof owner);
}

static size_t padded(size_t bytes) { return (bytes + 7) / 8 * 8; }

/* ---- Packing -------------------------------------------------------------------------------- */

static int64_t entries_of(const delivery *d, int64_t begin, int64_t end)
{
    int64_t sum = 0;
    for (int64_t i = begin; i < end; i++) {
        const pen_lid slot = d->sequence->slots[i];
        sum += d->lists->begins[slot + 1] - d->lists->begins[slot];
    }
    return sum;
}

static int64_t block_bytes(const delivery *d, int share)
{
    const size_t count = (size_t)(d->end[share] - d->next[share]);
    size_t bytes = 8 + padded(count * sizeof(uint32_t));
    if (count == 0 || share == d->own) return 0; /* this rank's own nodes need no message */
    for (int c = 0; c < d->columns->count; c++)
        if (d->columns->of[c].from) bytes += padded(count * d->columns->of[c].bytes);
    if (d->lists) bytes += 8 * (count + (size_t)entries_of(d, d->next[share], d->end[share]));
    return (int64_t)bytes;
}

static int64_t start_of(const delivery *d, int share)
{
    return pen_sequence_start(d->sequence, d->sequence->shares[share].rank);
}

static void write_places(const delivery *d, int share, int64_t first, uint32_t *places)
{
    const int64_t start = start_of(d, share);
    for (int64_t i = d->next[share]; i < d->end[share]; i++)
        *places++ = pen_sequence_place(d->sequence, d->store, start, i) - (uint32_t)first;
}

static void pack_lists(const delivery *d, int share, unsigned char *to)
{
    int64_t *counts = (int64_t *)(void *)to, *entries = counts + (d->end[share] - d->next[share]);
    for (int64_t i = d->next[share]; i < d->end[share]; i++) {
        const pen_lid slot = d->sequence->slots[i];
        const int64_t begin = d->lists->begins[slot], count = d->lists->begins[slot + 1] - begin;
        *counts++ = count;
        for (int64_t k = 0; k < count; k++) *entries++ = d->lists->entries[begin + k];
    }
}

/* Pack the nodes of a share that are in the present piece, which begins at position `first` of the part: the number of
 * nodes and their places in the piece; each column; lengths and entries of the nodes' lists. Each of them is padded to
 * whole words. */
static void pack(const delivery *d, int share, int64_t first, unsigned char *to)
{
    const int64_t count = d->end[share] - d->next[share];
    const pen_lid *slots = d->sequence->slots + d->next[share];
    memcpy(to, &count, 8);
    write_places(d, share, first, (uint32_t *)(void *)(to + 8));
    to += 8 + padded((size_t)count * sizeof(uint32_t));
    for (int c = 0; c < d->columns->count; c++) {
        const pen_column *column = &d->columns->of[c];
        if (!column->from) continue;
        copy_values(count, column->bytes, column->from, column->stride, slots, to, NULL);
        to += padded((size_t)count * column->bytes);
    }
    if (d->lists) pack_lists(d, share, to);
}

/* Local. Pack the blocks for all ranks' pieces, which begin at position `first` of each rank's part. */
static pen_status pack_all(delivery *d, int64_t first, pen_blocks *send)
{
    const pen_sequence *s = d->sequence;
    for (int share = 0; share < s->share_count; share++) {
        const int64_t start = start_of(d, share);
        int64_t end = d->next[share];
        while (end < s->shares[share + 1].begin && pen_sequence_place(s, d->store, start, end) < first + d->most) end++;
        d->end[share] = end;
        d->bytes[share] = block_bytes(d, share);
    }
    PEN_TRY(pen_blocks_open(s->share_count, d->bytes, send));
    for (int b = 0; b < send->count; b++) {
        pack(d, send->ranks[b], first, send->data + send->offsets[b]);
        send->ranks[b] = s->shares[send->ranks[b]].rank;
    }
    return PEN_OK;
}

/* ---- Unpacking ------------------------------------------------------------------------------ */

/* The parts of a block: places of the nodes in the piece, and values. Lists follow. */
typedef struct parts {
    int64_t count;
    const uint32_t *places;
    const unsigned char *values;
} parts;

static parts parts_of(const unsigned char *block)
{
    parts p;
    memcpy(&p.count, block, 8);
    p.places = (const uint32_t *)(const void *)(block + 8);
    p.values = block + 8 + padded((size_t)p.count * sizeof(uint32_t));
    return p;
}

/* Copy the values of a block to their places. Returns the address of the block's lists. */
static const int64_t *place_values(const delivery *d, int from, parts p)
{
    for (int c = 0; c < d->columns->count; c++) {
        const pen_column *column = &d->columns->of[c];
        if (!column->from) {
            fill_owner(p.count, from, d->piece.values[c], p.places);
            continue;
        }
        copy_values(p.count, column->bytes, p.values, column->bytes, NULL, d->piece.values[c], p.places);
        p.values += padded((size_t)p.count * column->bytes);
    }
    return (const int64_t *)(const void *)p.values;
}

/* Copy this rank's own nodes of its piece, without a message. */
static void place_own(const delivery *d, const uint32_t *places)
{
    const int64_t count = d->end[d->own] - d->next[d->own];
    const pen_lid *slots = d->sequence->slots + d->next[d->own];
    for (int c = 0; c < d->columns->count; c++) {
        const pen_column *column = &d->columns->of[c];
        if (column->from)
            copy_values(count, column->bytes, column->from, column->stride, slots, d->piece.values[c], places);
        else fill_owner(count, d->comm->rank, d->piece.values[c], places);
    }
}

static void place_lists(delivery *d, parts p, const int64_t *lists, bool entries)
{
    const int64_t *entry = lists + p.count;
    for (int64_t i = 0; i < p.count; i++) {
        const uint32_t place = p.places[i];
        if (!entries) d->counts[place] = lists[i];
        for (int64_t k = 0; entries && k < lists[i]; k++) d->piece.entries[d->piece.begins[place] + k] = *entry++;
    }
}

static void place_own_lists(delivery *d, const uint32_t *places, bool entries)
{
    for (int64_t i = d->next[d->own]; i < d->end[d->own]; i++) {
        const pen_lid slot = d->sequence->slots[i];
        const uint32_t place = places[i - d->next[d->own]];
        const int64_t begin = d->lists->begins[slot], count = d->lists->begins[slot + 1] - begin;
        if (!entries) d->counts[place] = count;
        else if (count > 0)
            memcpy(d->piece.entries + d->piece.begins[place], d->lists->entries + begin, 8 * (size_t)count);
    }
}

/* Unpack the lengths of the lists, then their entries. */
static pen_status unpack_lists(delivery *d, const pen_blocks *received, const int64_t **lists, const uint32_t *places)
{
    pen_piece *piece = &d->piece;
    for (int b = 0; b < received->count; b++)
        place_lists(d, parts_of(received->data + received->offsets[b]), lists[b], false);
    if (d->own >= 0) place_own_lists(d, places, false);
    piece->begins[0] = 0;
    for (int64_t i = 0; i < piece->count; i++) piece->begins[i + 1] = piece->begins[i] + d->counts[i];
    PEN_TRY(pen_reserve(&piece->entries, sizeof *piece->entries, piece->begins[piece->count], &d->entries));
    for (int b = 0; b < received->count; b++)
        place_lists(d, parts_of(received->data + received->offsets[b]), lists[b], true);
    if (d->own >= 0) place_own_lists(d, places, true);
    return PEN_OK;
}

static pen_status unpack(delivery *d, int64_t first, const pen_blocks *received)
{
    const int64_t start = pen_sequence_start(d->sequence, d->comm->rank);
    const int64_t all = pen_sequence_start(d->sequence, d->comm->rank + 1) - start;
    const int64_t **lists;
    uint32_t *places = NULL;
    d->piece.first = start + first;
    d->piece.count = all - first < d->most ? all - first : d->most;
    if (d->piece.count < 0) d->piece.count = 0;
    PEN_TRY(PEN_ALLOC(&lists, received->count));
    pen_status status = d->own < 0 ? PEN_OK : PEN_ALLOC(&places, d->end[d->own] - d->next[d->own]);
    if (status == PEN_OK) {
        if (d->own >= 0) write_places(d, d->own, first, places);
        if (d->own >= 0) place_own(d, places);
        for (int b = 0; b < received->count; b++)
            lists[b] = place_values(d, received->ranks[b], parts_of(received->data + received->offsets[b]));
        if (d->lists) status = unpack_lists(d, received, lists, places);
    }
    PEN_FREE_ALL(lists, places);
    return status;
}

/* ---- Pieces --------------------------------------------------------------------------------- */

static pen_status open_delivery(delivery *d)
{
    const pen_columns *columns = d->columns;
    const pen_sequence *s = d->sequence;
    PEN_TRY(PEN_ALLOC(&d->next, s->share_count));
    PEN_TRY(PEN_ALLOC(&d->end, s->share_count));
    PEN_TRY(PEN_ALLOC(&d->bytes, s->share_count));
    d->own = -1;
    for (int share = 0; share < s->share_count; share++) {
        d->next[share] = s->shares[share].begin;
        if (s->shares[share].rank == d->comm->rank) d->own = share;
    }
    PEN_TRY(PEN_ALLOC_ZERO(&d->piece.values, columns->count));
    for (int c = 0; c < columns->count; c++) PEN_TRY(pen_alloc(&d->piece.values[c], d->most, columns->of[c].bytes));
    if (!d->lists) return PEN_OK;
    PEN_TRY(PEN_ALLOC(&d->counts, d->most));
    return PEN_ALLOC(&d->piece.begins, d->most + 1);
}

static void close_delivery(delivery *d)
{
    for (int c = 0; d->piece.values && c < d->columns->count; c++) free(d->piece.values[c]);
    PEN_FREE_ALL(d->next, d->end, d->bytes, d->piece.values, d->counts, d->piece.begins, d->piece.entries);
}

/* The number of nodes in a piece, equal on all ranks. It assumes at least LEAST bytes per node, since `take` may need
 * more than small records. */
enum { LEAST = 64 };
static int64_t piece_nodes(const pen_columns *columns, bool lists, int64_t longest)
{
    size_t bytes = 8 + (lists ? LEAST : 0);
    for (int c = 0; c < columns->count; c++) bytes += columns->of[c].bytes;
    int64_t nodes = pen_piece_bytes / (int64_t)(bytes > LEAST ? bytes : LEAST);
    if (nodes > longest) nodes = longest;
    return nodes > 0 ? nodes : 1;
}

/* Collective. Exchange and process one piece on every rank. */
static pen_status deliver_piece(delivery *d, pen_status mine, int64_t first, pen_take_fn *take, void *context,
                                pen_status *taken)
{
    pen_blocks send = { .count = 0 }, received = { .count = 0 };
    if (mine == PEN_OK) mine = pack_all(d, first, &send);
    pen_status status = pen_sparse_exchange(d->comm, mine, &send, &received);
    pen_blocks_free(&send);
    if (status == PEN_OK) {
        *taken = unpack(d, first, &received);
        memcpy(d->next, d->end, (size_t)d->sequence->share_count * sizeof *d->next);
    }
    pen_blocks_free(&received);
    if (status == PEN_OK && *taken == PEN_OK && d->piece.count > 0) *taken = take(context, &d->piece);
    return status;
}

pen_status pen_deliver(pen_comm *comm, pen_status mine, const pen_store *store, const pen_sequence *sequence,
                       const pen_columns *columns, const pen_lists *lists, pen_take_fn *take, void *context)
{
    const int64_t longest = pen_sequence_start(sequence, 1); /* no part is longer than the first one */
    delivery d = { .comm = comm, .store = store, .sequence = sequence, .columns = columns, .lists = lists };
    pen_status status = PEN_OK;
    d.most = piece_nodes(columns, lists != NULL, longest);
    if (mine == PEN_OK) mine = open_delivery(&d);
    for (int64_t first = 0; status == PEN_OK && first < longest; first += d.most)
        status = deliver_piece(&d, mine, first, take, context, &mine);
    if (status == PEN_OK) status = pen_agree(comm, mine);
    close_delivery(&d);
    return status;
}
