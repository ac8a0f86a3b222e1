/* sparse.c - exchanges blocks between ranks that do not know which ranks will send to them. */
#include "base/sparse.h"
#include "base/memory.h"

#include <stdlib.h>

enum {
    FEW = 64,                /* ranks, at most, that have arrays of that length on the stack */
    FIRST_BYTES = 16 * 1024, /* of the first messages from all of them */
    EAGER = 4000,            /* bytes of a message that MPI sends without asking first */
    RESERVE = 64 * 1024,     /* bytes that every rank provides before it knows what will come */
    TAG_LENGTH = 1,
    TAG_BYTES = 2
};

PEN_PER_RANK int pen_sparse_few_ranks = FEW;
PEN_PER_RANK int64_t pen_sparse_message_bytes = INT64_C(1) << 30;

static int64_t block_bytes(const pen_blocks *blocks, int i) { return blocks->offsets[i + 1] - blocks->offsets[i]; }

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

static pen_status provide(pen_blocks *blocks, int ranks, int64_t *room)
{
    PEN_TRY(allocate_lists(blocks, ranks));
    return room ? pen_reserve(&blocks->data, 1, RESERVE, room) : PEN_ALLOC(&blocks->data, RESERVE);
}

static pen_status fit(pen_blocks *blocks, int64_t *room)
{
    int64_t total = blocks->offsets[blocks->count];
    if (room) return pen_reserve(&blocks->data, 1, total, room);
    if (total > RESERVE) return PEN_REALLOC(&blocks->data, total);
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

/* A first message begins with it. */
typedef struct head {
    int64_t bytes; /* of the block, twice; odd: some block of the sender is too long; < 0: the sender failed */
    int64_t reply; /* bytes */
} head;
enum { HEAD = sizeof(head) };

/* Blocks up to that length come with their lengths. */
static int64_t short_bytes(const pen_comm *comm)
{
    int64_t room = (FIRST_BYTES / comm->size < EAGER ? FIRST_BYTES / comm->size : EAGER) - HEAD;
    return room < pen_sparse_message_bytes ? room : pen_sparse_message_bytes;
}

static int64_t short_block(const pen_comm *comm, head h) { return h.bytes / 2 <= short_bytes(comm) ? h.bytes / 2 : 0; }

/* The first messages through shared memory: a rank's box has its messages to all. */
static void swap_first_at_meeting(pen_comm *comm, pen_meeting *meeting, const pen_blocks *send, const head *to,
                                  head *from, unsigned char *room, const unsigned char **bodies)
{
    const size_t longest = HEAD + (size_t)short_bytes(comm);
    unsigned char *box = pen_meeting_box(meeting);
    for (int r = 0, i = 0; r < comm->size; r++) {
        const size_t bytes = (size_t)short_block(comm, to[r]);
        memcpy(box + (size_t)r * longest, &to[r], HEAD);
        if (bytes == 0 || r == comm->rank) continue;
        while (send->ranks[i] < r) i++;
        memcpy(box + (size_t)r * longest + HEAD, send->data + send->offsets[i], bytes);
    }
    pen_meeting_wait(meeting, "a sparse exchange");
    for (int r = 0; r < comm->size; r++) {
        const unsigned char *message = pen_meeting_box_of(meeting, r) + (size_t)comm->rank * longest;
        memcpy(&from[r], message, HEAD);
        bodies[r] = room + (size_t)r * longest;
        if (r != comm->rank) memcpy(room + (size_t)r * longest, message + HEAD, (size_t)short_block(comm, from[r]));
    }
}

/* Every rank sends each other one its first message. The short blocks that come are in bodies[rank]. */
static pen_status swap_first(pen_comm *comm, const pen_blocks *send, const head *to, head *from, unsigned char *room,
                             const unsigned char **bodies)
{
    unsigned char messages[FIRST_BYTES], *message = messages;
    MPI_Request requests[2 * FEW];
    int n = 0, longest = HEAD + (int)short_bytes(comm);
    for (int r = 0; r < comm->size; r++) {
        if (r == comm->rank) continue;
        bodies[r] = room + r * longest + HEAD;
        PEN_MPI(MPI_Irecv(room + r * longest, longest, MPI_BYTE, r, TAG_LENGTH, comm->mpi, &requests[n++]));
    }
    for (int r = 0, i = 0; r < comm->size; r++) {
        if (r == comm->rank) continue;
        int64_t bytes = short_block(comm, to[r]);
        memcpy(message, &to[r], HEAD);
        if (bytes > 0) {
            while (send->ranks[i] < r) i++;
            memcpy(message + HEAD, send->data + send->offsets[i], (size_t)bytes);
        }
        PEN_MPI(MPI_Isend(message, HEAD + (int)bytes, MPI_BYTE, r, TAG_LENGTH, comm->mpi, &requests[n++]));
        message += longest;
    }
    PEN_MPI(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE));
    for (int r = 0; r < comm->size; r++)
        memcpy(&from[r], r == comm->rank ? (const void *)&to[r] : bodies[r] - HEAD, HEAD);
    return PEN_OK;
}

/* Exchange lengths by one message to every rank. Between here and the bytes every rank must be able to fail without an
 * agreement of its own. So the memory for a small exchange is allocated first; a failure so far is sent in place of the
 * lengths; and a bit of the length says that some block exceeds the reserve. Only then do the ranks agree again, after
 * they have allocated what is missing. */
static pen_status lengths_by_first(pen_comm *comm, pen_status mine, outgoing out, incoming in)
{
    unsigned char room[FIRST_BYTES];
    const unsigned char *bodies[FEW];
    head to[FEW] = { { 0 } }, from[FEW];
    int64_t share = RESERVE / comm->size, large = 0;
    if (mine == PEN_OK) mine = provide(in.blocks, comm->size, in.room);
    if (mine == PEN_OK && in.replies) mine = provide(in.replies, comm->size, NULL);
    for (int i = 0; mine == PEN_OK && i < out.blocks->count; i++) {
        head *its = &to[out.blocks->ranks[i]];
        *its = (head){ 2 * block_bytes(out.blocks, i), out.reply_bytes ? out.reply_bytes[i] : 0 };
        large |= its->bytes > 2 * share || its->reply > share;
    }
    for (int r = 0; r < comm->size; r++) to[r].bytes = mine == PEN_OK ? to[r].bytes | large : -1;

    pen_meeting *meeting = pen_meeting_of(comm);
    if (meeting) swap_first_at_meeting(comm, meeting, out.blocks, to, from, room, bodies);
    else PEN_TRY(swap_first(comm, out.blocks, to, from, room, bodies));
    bool failed = false;
    for (int r = 0; r < comm->size; r++) {
        failed = failed || from[r].bytes < 0;
        large |= from[r].bytes & 1;
    }
    if (failed) return pen_agree(comm, mine);

    for (int r = 0; r < comm->size; r++) {
        if (from[r].bytes / 2 == 0) continue;
        append(in.blocks, r, from[r].bytes / 2);
        if (in.replies) append(in.replies, r, from[r].reply);
    }
    mine = fit(in.blocks, in.room);
    if (mine == PEN_OK && in.replies) mine = fit(in.replies, NULL);
    if (large) PEN_TRY(pen_agree(comm, mine));
    for (int i = 0; i < in.blocks->count; i++) {
        int r = in.blocks->ranks[i];
        if (r != comm->rank)
            memcpy(in.blocks->data + in.blocks->offsets[i], bodies[r], (size_t)short_block(comm, from[r]));
    }
    return PEN_OK;
}

typedef struct arrival {
    int rank;
    int64_t bytes, reply;
} arrival;

static int by_rank(const void *a, const void *b) { return ((const arrival *)a)->rank - ((const arrival *)b)->rank; }

/* Receive one length if one is there. A failure is recorded in *mine and the message dropped. */
static pen_status take_length(pen_comm *comm, pen_status *mine, arrival **list, int *count)
{
    int there = 0;
    MPI_Message message;
    MPI_Status envelope;
    PEN_MPI_POLL(MPI_Improbe(MPI_ANY_SOURCE, TAG_LENGTH, comm->mpi, &there, &message, &envelope));
    if (!there) return PEN_OK;
    int64_t length[2];
    PEN_MPI(MPI_Mrecv(length, 2, MPI_INT64_T, &message, MPI_STATUS_IGNORE));
    if (*mine == PEN_OK && (*count & (*count - 1)) == 0) *mine = PEN_REALLOC(list, *count ? 2 * (int64_t)*count : 1);
    if (*mine == PEN_OK) (*list)[(*count)++] = (arrival){ envelope.MPI_SOURCE, length[0], length[1] };
    return PEN_OK;
}

/* Send the lengths synchronously. A rank whose messages have all been received enters a non-blocking barrier; when that
 * completes, all messages have arrived. One tag suffices: the agreement that follows keeps the next exchange from
 * starting while a rank still probes in this one. */
static pen_status consensus(pen_comm *comm, pen_status *mine, const pen_blocks *send, int64_t (*lengths)[2],
                            MPI_Request *requests, arrival **list, int *count)
{
    int sends = 0, sent = 0, done = 0;
    for (int i = 0; *mine == PEN_OK && i < send->count; i++)
        if (lengths[i][0] > 0)
            PEN_MPI(MPI_Issend(lengths[i], 2, MPI_INT64_T, send->ranks[i], TAG_LENGTH, comm->mpi, &requests[sends++]));
    MPI_Request barrier = MPI_REQUEST_NULL;
    pen_mark_move();
    while (!done) {
        PEN_MARK(call, "a sparse exchange");
        PEN_TRY(take_length(comm, mine, list, count));
        if (!sent) {
            PEN_MPI_POLL(MPI_Testall(sends, requests, &sent, MPI_STATUSES_IGNORE));
            if (sent) PEN_MPI(MPI_Ibarrier(comm->mpi, &barrier));
        } else {
            PEN_MPI_POLL(MPI_Test(&barrier, &done, MPI_STATUS_IGNORE));
        }
    }
    pen_mark_over();
    return PEN_OK;
}

static pen_status room_for_lengths(outgoing out, int64_t (**lengths)[2], MPI_Request **requests)
{
    PEN_TRY(pen_alloc(lengths, out.blocks->count, sizeof **lengths));
    for (int i = 0; i < out.blocks->count; i++) {
        (*lengths)[i][0] = block_bytes(out.blocks, i);
        (*lengths)[i][1] = out.reply_bytes ? out.reply_bytes[i] : 0;
    }
    return PEN_ALLOC(requests, out.blocks->count);
}

static pen_status room_for_arrivals(const arrival *list, int count, incoming in)
{
    PEN_TRY(allocate_lists(in.blocks, count));
    if (in.replies) PEN_TRY(allocate_lists(in.replies, count));
    for (int i = 0; i < count; i++) {
        append(in.blocks, list[i].rank, list[i].bytes);
        if (in.replies) append(in.replies, list[i].rank, list[i].reply);
    }
    if (in.replies) PEN_TRY(PEN_ALLOC(&in.replies->data, in.replies->offsets[count]));
    if (in.room) return pen_reserve(&in.blocks->data, 1, in.blocks->offsets[count], in.room);
    return PEN_ALLOC(&in.blocks->data, in.blocks->offsets[count]);
}

/* *requests gets room for the transfer of the bytes; the caller frees it, on failure too. */
static pen_status lengths_by_consensus(pen_comm *comm, pen_status mine, outgoing out, incoming in,
                                       MPI_Request **requests)
{
    arrival *list = NULL;
    int64_t(*lengths)[2] = NULL;
    int count = 0;
    if (mine == PEN_OK) mine = room_for_lengths(out, &lengths, requests);
    pen_status status = consensus(comm, &mine, out.blocks, lengths, *requests, &list, &count);
    if (status == PEN_OK) {
        if (mine == PEN_OK) mine = PEN_REALLOC(requests, (int64_t)out.blocks->count + count);
        if (mine == PEN_OK && count > 0) qsort(list, (size_t)count, sizeof *list, by_rank);
        if (mine == PEN_OK) mine = room_for_arrivals(list, count, in);
        status = pen_agree(comm, mine);
    }
    PEN_FREE_ALL(list, lengths);
    return status;
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

static int64_t block_to(const pen_blocks *blocks, int rank)
{
    for (int i = 0; i < blocks->count && blocks->ranks[i] <= rank; i++)
        if (blocks->ranks[i] == rank) return i;
    return -1;
}

/* Transfer the blocks longer than `done` bytes; the shorter ones have arrived. There is one message per partner at a
 * time, so the number of requests is limited by the number of partners. */
static pen_status transfer(pen_comm *comm, const pen_blocks *send, pen_blocks *received, int64_t done,
                           MPI_Request *requests)
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
        if (turn == 0) {
            int64_t from = block_to(received, comm->rank), to = block_to(send, comm->rank);
            if (from >= 0)
                memcpy(received->data + received->offsets[from], send->data + send->offsets[to],
                       (size_t)block_bytes(received, (int)from));
        }
        if (n == 0) return PEN_OK;
        PEN_MPI(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE));
    }
}

/* Send the lengths, then the bytes. *many has the requests if there are many ranks; otherwise it is NULL. */
static pen_status send_all(pen_comm *comm, pen_status mine, outgoing out, incoming in, MPI_Request **many)
{
    MPI_Request some[2 * FEW];
    bool few = comm->size <= pen_sparse_few_ranks;
    PEN_TRY(few ? lengths_by_first(comm, mine, out, in) : lengths_by_consensus(comm, mine, out, in, many));
    return transfer(comm, out.blocks, in.blocks, few ? short_bytes(comm) : 0, few ? some : *many);
}

/* Exchange blocks; *room as in `incoming`. */
static pen_status exchange(pen_comm *comm, pen_status mine, const pen_blocks *send, pen_blocks *received, int64_t *room)
{
    if (mine == PEN_OK) mine = check_blocks(comm, send);
    MPI_Request *many = NULL;
    pen_status status = send_all(comm, mine, (outgoing){ send, NULL }, (incoming){ received, NULL, room }, &many);
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
    MPI_Request *many = NULL;
    if (mine == PEN_OK) mine = expect(comm, questions, reply_bytes, &inquiry->replies);
    pen_status status = send_all(comm, mine, (outgoing){ questions, reply_bytes },
                                 (incoming){ &inquiry->received, &inquiry->outgoing, NULL }, &many);
    inquiry->requests = many;
    return status;
}

pen_status pen_sparse_reply(pen_comm *comm, pen_inquiry *inquiry)
{
    MPI_Request some[2 * FEW];
    return transfer(comm, &inquiry->outgoing, &inquiry->replies, 0, inquiry->requests ? inquiry->requests : some);
}

void pen_inquiry_free(pen_inquiry *inquiry)
{
    pen_blocks_free(&inquiry->received);
    pen_blocks_free(&inquiry->outgoing);
    pen_blocks_free(&inquiry->replies);
    free(inquiry->requests);
    *inquiry = (pen_inquiry){ 0 };
}

void pen_blocks_free(pen_blocks *blocks)
{
    PEN_FREE_ALL(blocks->ranks, blocks->offsets, blocks->data);
    memset(blocks, 0, sizeof *blocks);
}

pen_status pen_blocks_open(int ranks, int64_t *bytes, pen_blocks *blocks)
{
    *blocks = (pen_blocks){ 0 };
    int count = 0;
    int64_t total = 0;
    for (int r = 0; r < ranks; r++) {
        count += bytes[r] > 0;
        total += bytes[r];
    }
    pen_status status = allocate_lists(blocks, count);
    if (status == PEN_OK) status = PEN_ALLOC(&blocks->data, total);
    if (status != PEN_OK) {
        pen_blocks_free(blocks);
        return status;
    }
    for (int r = 0; r < ranks; r++) {
        const int64_t size = bytes[r];
        bytes[r] = blocks->offsets[blocks->count];
        if (size != 0) append(blocks, r, size);
    }
    return PEN_OK;
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
