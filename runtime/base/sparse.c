/* sparse.c - exchanges blocks between ranks that do not know which ranks will send to them. */
#include "base/sparse.h"
#include "base/memory.h"
#include "base/short_blocks.h"

#include <stdlib.h>

enum { TAG_BYTES = 2 };

static int64_t block_bytes(const pen_blocks *blocks, int i) { return blocks->offsets[i + 1] - blocks->offsets[i]; }

static int64_t block_to(const pen_blocks *blocks, int rank)
{
    for (int i = 0; i < blocks->count && blocks->ranks[i] <= rank; i++)
        if (blocks->ranks[i] == rank) return i;
    return -1;
}

static pen_status check_blocks(const pen_comm *comm, const pen_blocks *blocks)
{
    for (int i = 0; i < blocks->count; i++)
        if (blocks->ranks[i] < 0 || blocks->ranks[i] >= comm->size ||
            (i > 0 && blocks->ranks[i] <= blocks->ranks[i - 1]) || block_bytes(blocks, i) < 0)
            return pen_fail(PEN_ERR_INTERNAL, "sparse exchange: block %d of %d is for rank %d of %d, %" PRId64 " bytes",
                            i, blocks->count, blocks->ranks[i], comm->size, block_bytes(blocks, i));
    return PEN_OK;
}

/* ---- Lengths -------------------------------------------------------------------------------- */

static pen_status allocate_lists(pen_blocks *blocks, int64_t count)
{
    PEN_TRY(PEN_ALLOC(&blocks->ranks, count));
    PEN_TRY(PEN_ALLOC(&blocks->offsets, count + 1));
    blocks->offsets[0] = 0;
    return PEN_OK;
}

/* Append a block of a rank that sends something; there are no empty blocks. */
static void append(pen_blocks *blocks, int rank, int64_t bytes)
{
    blocks->ranks[blocks->count++] = rank;
    blocks->offsets[blocks->count] = blocks->offsets[blocks->count - 1] + bytes;
}

static pen_status provide(const pen_short_blocks *s, pen_blocks *blocks, int64_t *room)
{
    PEN_TRY(allocate_lists(blocks, s->comm->size));
    return room ? pen_reserve(&blocks->data, 1, s->reserve, room) : PEN_ALLOC(&blocks->data, s->reserve);
}

static pen_status fit(const pen_short_blocks *s, pen_blocks *blocks, int64_t *room)
{
    int64_t total = blocks->offsets[blocks->count];
    if (room) return pen_reserve(&blocks->data, 1, total, room);
    if (total > s->reserve) return PEN_REALLOC(&blocks->data, total);
    unsigned char *shrunk = realloc(blocks->data, total > 0 ? (size_t)total : 1);
    if (shrunk) blocks->data = shrunk; /* if this fails, the larger block stays */
    return PEN_OK;
}

/* The blocks to send and, if they are requests, the lengths of the replies. */
typedef struct outgoing {
    const pen_blocks *blocks;
    const int64_t *reply_bytes; /* [blocks] or NULL */
} outgoing;

/* What comes in. */
typedef struct incoming {
    pen_blocks *blocks;
    pen_blocks *replies; /* to be sent; NULL: these are no requests */
    int64_t *room;       /* bytes of memory at blocks->data, which is kept; NULL: there is none yet */
} incoming;

/* What this rank says about its blocks. */
static uint32_t kinds_of(const pen_short_blocks *s, outgoing out)
{
    uint32_t says = 0;
    for (int i = 0; i < out.blocks->count; i++) {
        const int64_t bytes = block_bytes(out.blocks, i), reply = out.reply_bytes ? out.reply_bytes[i] : 0;
        if (bytes > s->share || reply > s->share) says |= PEN_SHORT_LARGE;
        if (out.blocks->ranks[i] == s->comm->rank) continue;
        if (bytes > s->limit) says |= PEN_SHORT_LONG;
        if (reply > s->limit) says |= PEN_SHORT_LONG_REPLY;
    }
    return says;
}

static void append_both(incoming in, int rank, int64_t bytes, int64_t reply)
{
    if (bytes == 0) return;
    append(in.blocks, rank, bytes);
    if (in.replies) append(in.replies, rank, reply);
}

/* List the blocks that come, with those of this rank for itself, and make room for their bytes. */
static pen_status list_blocks(const pen_short_blocks *s, outgoing out, incoming in)
{
    const int64_t own = block_to(out.blocks, s->comm->rank);
    bool listed = own < 0;
    for (int i = 0; i <= s->count; i++) {
        const pen_head *head = i < s->count ? s->heads[i] : NULL;
        if (!listed && (!head || head->from > s->comm->rank)) {
            append_both(in, s->comm->rank, block_bytes(out.blocks, (int)own),
                        out.reply_bytes ? out.reply_bytes[own] : 0);
            listed = true;
        }
        if (head) append_both(in, head->from, head->bytes, head->reply);
    }
    PEN_TRY(fit(s, in.blocks, in.room));
    return in.replies ? fit(s, in.replies, NULL) : PEN_OK;
}

/* Copy the short blocks that came; `blocks` lists all that come, from more ranks perhaps. */
static void copy_short(const pen_short_blocks *s, pen_blocks *blocks)
{
    for (int i = 0, b = 0; i < s->count; i++) {
        while (blocks->ranks[b] < s->heads[i]->from) b++;
        if (s->heads[i]->bytes <= s->limit)
            memcpy(blocks->data + blocks->offsets[b], pen_head_bytes(s->heads[i]), (size_t)s->heads[i]->bytes);
    }
}

/* Exchange heads and short blocks. In it every rank must be able to fail without an agreement of its own. So the memory
 * for a small exchange is allocated first; a failure so far is told with the heads; and a rank tells if some block
 * exceeds the reserve. Only then do the ranks agree again, after they have allocated what is missing. *requests gets
 * room for the transfer of long blocks, if there are many ranks and long blocks; these exceed the reserve, too. */
static pen_status exchange_heads(pen_short_blocks *s, pen_status mine, outgoing out, incoming in,
                                 MPI_Request **requests)
{
    pen_comm *comm = s->comm;
    if (mine == PEN_OK) mine = provide(s, in.blocks, in.room);
    if (mine == PEN_OK && in.replies) mine = provide(s, in.replies, NULL);
    if (mine == PEN_OK) mine = pen_short_room(s);
    PEN_TRY(
        pen_short_deliver(s, out.blocks, out.reply_bytes, true, mine == PEN_OK ? kinds_of(s, out) : PEN_SHORT_FAILED));
    if (s->said & PEN_SHORT_FAILED) return pen_agree(comm, mine);
    mine = s->mine;
    if (mine == PEN_OK) mine = list_blocks(s, out, in);
    if (mine == PEN_OK && comm->size > PEN_SHORT_FEW && s->said & (PEN_SHORT_LONG | PEN_SHORT_LONG_REPLY))
        mine = PEN_ALLOC(requests, (int64_t)out.blocks->count + in.blocks->count);
    if (mine == PEN_OK) copy_short(s, in.blocks);
    return s->said & (PEN_SHORT_LARGE | PEN_SHORT_MORE) ? pen_agree(comm, mine) : mine;
}

/* ---- Bytes ---------------------------------------------------------------------------------- */

/* The part of block i that message number `turn` carries; 0 when the block has fewer messages. */
static int message_part(const pen_blocks *blocks, int i, int64_t turn, unsigned char **start)
{
    int64_t done = turn * pen_sparse_message_bytes, left = block_bytes(blocks, i) - done;
    if (left <= 0) return 0;
    *start = blocks->data + blocks->offsets[i] + done;
    return (int)(left < pen_sparse_message_bytes ? left : pen_sparse_message_bytes);
}

static bool travels(const pen_comm *comm, const pen_blocks *blocks, int i, int64_t done)
{
    return blocks->ranks[i] != comm->rank && block_bytes(blocks, i) > done;
}

/* Transfer the blocks longer than `done` bytes; the shorter ones have arrived. There is one message per partner at a
 * time, so the number of requests is limited by the number of partners. With a meeting, all ranks take part. */
static pen_status transfer(pen_comm *comm, const pen_blocks *send, pen_blocks *received, int64_t done,
                           MPI_Request *requests, pen_meeting *meeting)
{
    for (int64_t turn = 0;; turn++) {
        int n = 0, bytes;
        unsigned char *start;
        for (int i = 0; i < received->count; i++)
            if (travels(comm, received, i, done) && (bytes = message_part(received, i, turn, &start)) > 0)
                PEN_MPI(MPI_Irecv(start, bytes, MPI_BYTE, received->ranks[i], TAG_BYTES, comm->mpi, &requests[n++]));
        for (int i = 0; i < send->count; i++)
            if (travels(comm, send, i, done) && (bytes = message_part(send, i, turn, &start)) > 0)
                PEN_MPI(MPI_Isend(start, bytes, MPI_BYTE, send->ranks[i], TAG_BYTES, comm->mpi, &requests[n++]));
        if (turn == 0 && meeting) pen_meeting_await(meeting, pen_meeting_arrive(meeting), "a sparse exchange");
        if (n == 0) return PEN_OK;
        PEN_MPI(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE));
    }
}

static void copy_own(const pen_comm *comm, const pen_blocks *send, pen_blocks *received)
{
    const int64_t from = block_to(received, comm->rank), to = block_to(send, comm->rank);
    if (from >= 0)
        memcpy(received->data + received->offsets[from], send->data + send->offsets[to],
               (size_t)block_bytes(received, (int)from));
}

static pen_status send_all(pen_short_blocks *s, pen_status mine, outgoing out, incoming in, MPI_Request **many)
{
    MPI_Request some[2 * PEN_SHORT_FEW];
    PEN_TRY(exchange_heads(s, mine, out, in, many));
    copy_own(s->comm, out.blocks, in.blocks);
    if (!(s->said & PEN_SHORT_LONG)) return PEN_OK;
    return transfer(s->comm, out.blocks, in.blocks, s->limit, *many ? *many : some, s->meeting);
}

/* Exchange blocks; *room as in `incoming`. */
static pen_status exchange(pen_comm *comm, pen_status mine, const pen_blocks *send, pen_blocks *received, int64_t *room)
{
    if (mine == PEN_OK) mine = check_blocks(comm, send);
    MPI_Request *many = NULL;
    pen_short_blocks s;
    pen_short_open(comm, &s);
    pen_status status = send_all(&s, mine, (outgoing){ send, NULL }, (incoming){ received, NULL, room }, &many);
    pen_short_free(&s);
    free(many);
    if (status != PEN_OK) pen_blocks_free(received);
    if (status != PEN_OK && room) *room = 0;
    return status;
}

pen_status pen_sparse_exchange(pen_comm *comm, pen_status mine, const pen_blocks *send, pen_blocks *received)
{
    memset(received, 0, sizeof *received);
    return exchange(comm, mine, send, received, NULL);
}

pen_status pen_sparse_exchange_into(pen_comm *comm, pen_status mine, const pen_blocks *send, pen_blocks *received,
                                    int64_t *room)
{
    PEN_FREE_ALL(received->ranks, received->offsets);
    *received = (pen_blocks){ .data = received->data };
    return exchange(comm, mine, send, received, room);
}

/* The replies have their lists, and room. */
static pen_status expect(const pen_comm *comm, const pen_blocks *questions, const int64_t *reply_bytes,
                         pen_blocks *replies)
{
    PEN_TRY(check_blocks(comm, questions));
    PEN_TRY(allocate_lists(replies, questions->count));
    for (int i = 0; i < questions->count; i++) {
        if (block_bytes(questions, i) == 0 || reply_bytes[i] <= 0)
            return pen_fail(PEN_ERR_INTERNAL, "question %d of %d or its reply is empty", i, questions->count);
        append(replies, questions->ranks[i], reply_bytes[i]);
    }
    return PEN_ALLOC(&replies->data, replies->offsets[questions->count]);
}

pen_status pen_sparse_request(pen_comm *comm, pen_status mine, const pen_blocks *questions, const int64_t *reply_bytes,
                              pen_inquiry *inquiry)
{
    *inquiry = (pen_inquiry){ 0 };
    if (mine == PEN_OK) mine = expect(comm, questions, reply_bytes, &inquiry->replies);
    MPI_Request *many = NULL;
    pen_short_open(comm, &inquiry->travelling);
    pen_status status = send_all(&inquiry->travelling, mine, (outgoing){ questions, reply_bytes },
                                 (incoming){ &inquiry->received, &inquiry->outgoing, NULL }, &many);
    inquiry->requests = many;
    return status;
}

pen_status pen_sparse_reply(pen_comm *comm, pen_inquiry *inquiry)
{
    MPI_Request some[2 * PEN_SHORT_FEW], *requests = inquiry->requests ? inquiry->requests : some;
    pen_short_blocks *s = &inquiry->travelling;
    const uint32_t said = s->said;
    copy_own(comm, &inquiry->outgoing, &inquiry->replies);
    if (pen_short_direct(s)) return transfer(comm, &inquiry->outgoing, &inquiry->replies, 0, requests, NULL);
    PEN_TRY(pen_short_deliver(s, &inquiry->outgoing, NULL, false, 0));
    if (s->mine == PEN_OK) copy_short(s, &inquiry->replies);
    if (said & PEN_SHORT_LARGE || s->said & PEN_SHORT_MORE) PEN_TRY(pen_agree(comm, s->mine));
    if (!(said & PEN_SHORT_LONG_REPLY)) return PEN_OK;
    return transfer(comm, &inquiry->outgoing, &inquiry->replies, s->limit, requests, s->meeting);
}

void pen_inquiry_free(pen_inquiry *inquiry)
{
    pen_blocks_free(&inquiry->received);
    pen_blocks_free(&inquiry->outgoing);
    pen_blocks_free(&inquiry->replies);
    pen_short_free(&inquiry->travelling);
    free(inquiry->requests);
    *inquiry = (pen_inquiry){ 0 };
}

void pen_blocks_free(pen_blocks *blocks)
{
    PEN_FREE_ALL(blocks->ranks, blocks->offsets, blocks->data);
    memset(blocks, 0, sizeof *blocks);
}

static pen_status lay_out(int ranks, int64_t *bytes, pen_blocks *blocks, int64_t *room)
{
    int count = 0;
    int64_t total = 0;
    for (int r = 0; r < ranks; r++) {
        count += bytes[r] > 0;
        total += bytes[r];
    }
    PEN_TRY(allocate_lists(blocks, count));
    PEN_TRY(room ? pen_reserve(&blocks->data, 1, total, room) : PEN_ALLOC(&blocks->data, total));
    for (int r = 0; r < ranks; r++) {
        const int64_t size = bytes[r];
        bytes[r] = blocks->offsets[blocks->count];
        if (size != 0) append(blocks, r, size);
    }
    return PEN_OK;
}

pen_status pen_blocks_open(int ranks, int64_t *bytes, pen_blocks *blocks)
{
    *blocks = (pen_blocks){ 0 };
    const pen_status status = lay_out(ranks, bytes, blocks, NULL);
    if (status != PEN_OK) pen_blocks_free(blocks);
    return status;
}

pen_status pen_blocks_open_into(int ranks, int64_t *bytes, pen_blocks *blocks, int64_t *room)
{
    PEN_FREE_ALL(blocks->ranks, blocks->offsets);
    *blocks = (pen_blocks){ .data = blocks->data };
    return lay_out(ranks, bytes, blocks, room);
}

/* ---- Grouping ------------------------------------------------------------------------------- */

/* The indices of `to` in stable ascending order of its values: radix sort, one pass per digit that
 * the largest value has (so one pass below 2048 ranks, which leaves `other` untouched). Both arrays
 * are [count]; returns the one of the two that holds the result. */
static int64_t *sort_by_rank(int64_t count, const int *to, int largest, int64_t *sorted, int64_t *other)
{
    enum { DIGIT = 11, DIGITS = 1 << DIGIT };
    const int64_t *from = NULL; /* as they are */
    for (int shift = 0; shift == 0 || (shift < 31 && largest >> shift > 0); shift += DIGIT) {
        int digits = largest >> shift < DIGITS ? (largest >> shift) + 1 : DIGITS;
        int64_t next[DIGITS + 1];
        memset(next, 0, ((size_t)digits + 1) * sizeof *next);
        for (int64_t i = 0; i < count; i++) next[(to[i] >> shift & (DIGITS - 1)) + 1]++;
        for (int d = 0; d < digits; d++) next[d + 1] += next[d];
        if (from) {
            int64_t *swap = sorted;
            sorted = other;
            other = swap;
        }
        for (int64_t i = 0; i < count; i++) {
            int64_t k = from ? from[i] : i;
            sorted[next[to[k] >> shift & (DIGITS - 1)]++] = k;
        }
        from = sorted;
    }
    return sorted;
}

static pen_status group(int64_t count, const int *to, const void *records, size_t size, const int64_t *sorted,
                        pen_blocks *blocks)
{
    int distinct = 0, last = -1;
    for (int64_t k = 0; k < count; k++) {
        distinct += to[sorted[k]] != last;
        last = to[sorted[k]];
    }
    PEN_TRY(allocate_lists(blocks, distinct));
    PEN_TRY(pen_alloc(&blocks->data, count, size));
    last = -1;
    for (int64_t k = 0; blocks->count < distinct; k++) {
        if (to[sorted[k]] == last) continue;
        last = blocks->ranks[blocks->count] = to[sorted[k]];
        blocks->offsets[blocks->count++] = k * (int64_t)size;
    }
    const unsigned char *from = (const unsigned char *)records;
    if (size == sizeof(pen_gid)) { /* the most frequent record: copies of a known size are moves */
        for (int64_t k = 0; k < count; k++)
            memcpy(blocks->data + (size_t)k * sizeof(pen_gid), from + (size_t)sorted[k] * sizeof(pen_gid),
                   sizeof(pen_gid));
    } else {
        for (int64_t k = 0; k < count; k++)
            memcpy(blocks->data + (size_t)k * size, from + (size_t)sorted[k] * size, size);
    }
    blocks->offsets[blocks->count] = count * (int64_t)size;
    return PEN_OK;
}

pen_status pen_blocks_group(int64_t count, const int *to, const void *records, size_t size, pen_blocks *blocks,
                            int64_t *order)
{
    memset(blocks, 0, sizeof *blocks);
    int largest = 0;
    for (int64_t i = 0; i < count; i++) {
        PEN_ARGUMENT(to[i] >= 0, "record %" PRId64 " is for rank %d", i, to[i]);
        largest = to[i] > largest ? to[i] : largest;
    }
    int64_t *work = NULL;
    pen_status status = pen_alloc(&work, count, 2 * sizeof *work);
    if (status == PEN_OK) {
        const int64_t *sorted = sort_by_rank(count, to, largest, work, work + count);
        status = group(count, to, records, size, sorted, blocks);
        if (status == PEN_OK && order)
            for (int64_t k = 0; k < count; k++) order[sorted[k]] = k;
    }
    free(work);
    if (status != PEN_OK) pen_blocks_free(blocks);
    return status;
}

pen_status pen_sparse_send(pen_comm *comm, pen_status mine, int64_t count, const int *to, const void *records,
                           size_t size, pen_blocks *received)
{
    pen_blocks send = { 0 };
    if (mine == PEN_OK) mine = pen_blocks_group(count, to, records, size, &send, NULL);
    mine = pen_sparse_exchange(comm, mine, &send, received);
    pen_blocks_free(&send);
    return mine;
}
