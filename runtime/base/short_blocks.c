/* short_blocks.c - delivers heads of blocks, and short blocks, through shared memory or on routes. */
#include "base/short_blocks.h"
#include "base/memory.h"

#include <stdlib.h>

/* If sending a message keeps a rank busy for o, and it arrives a latency L later, a stage takes (radix - 1) o + L, and
 * there are log(ranks) / log(radix) stages. The least time has radix 4 where L is o to 5 o, and one stage of 15
 * messages is faster than two of 3 where L is more than 9 o, as between hosts on Ethernet. */
enum {
    DIRECT = 16,             /* ranks, at most, that send every other rank a message */
    RADIX = 4,               /* among more ranks */
    MOST_RADIX = 64,         /* that a test may want */
    STAGE_BYTES = 16 * 1024, /* of the first parts of the messages that a stage receives */
    EAGER = 4000,            /* bytes of a message that MPI sends without asking first */
    ROUTED = 1000,           /* bytes of a block that may travel through several ranks */
    RESERVE = 64 * 1024,     /* bytes that every rank provides, at least, before it knows what will come */
    SHARE = 256,             /* of them for each rank, at least: a head and 29 gids */
    TAG_FIRST = 1,
    TAG_REST = 3
};

PEN_PER_RANK int pen_short_radix;
PEN_PER_RANK int64_t pen_sparse_message_bytes = INT64_C(1) << 30;

/* A message of a route begins with it. */
typedef struct message_head {
    int64_t bytes; /* that follow */
    int64_t said;
} message_head;

bool pen_short_direct(const pen_short_blocks *s) { return !s->meeting && s->radix >= s->comm->size; }

static int64_t size_of(const pen_short_blocks *s, int64_t bytes)
{
    return (int64_t)sizeof(pen_head) + (bytes <= s->limit ? (bytes + 7) / 8 * 8 : 0);
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Bytes of the first part of a message, whose receiver does not know its length. */
static int first_part(const pen_short_blocks *s) { return (int)least(EAGER, STAGE_BYTES / s->radix) / 8 * 8; }

static pen_status fit(pen_buffer *buffer, int64_t bytes)
{
    return pen_reserve(&buffer->bytes, 1, bytes, &buffer->room);
}

void pen_short_open(pen_comm *comm, pen_short_blocks *s)
{
    *s = (pen_short_blocks){ .comm = comm, .radix = comm->size <= DIRECT ? comm->size : RADIX };
    if (pen_short_radix) s->radix = pen_short_radix;
    else s->meeting = pen_meeting_of(comm);
    if (s->radix < 2) s->radix = 2; /* of one rank */
    const int64_t head = sizeof(pen_head);
    s->limit = s->meeting ? EAGER : first_part(s) - (int64_t)sizeof(message_head) - head;
    if (!s->meeting && s->radix < comm->size) s->limit = least(s->limit, ROUTED);
    s->limit = least(s->limit, pen_sparse_message_bytes);
    s->reserve = RESERVE > SHARE * (int64_t)comm->size ? RESERVE : SHARE * (int64_t)comm->size;
    s->share = s->reserve / comm->size / 8 * 8 - head; /* blocks travel in multiples of 8 bytes */
}

pen_status pen_short_room(pen_short_blocks *s)
{
    s->heads = s->few;
    if (s->comm->size > PEN_SHORT_FEW) PEN_TRY(PEN_ALLOC(&s->heads, s->comm->size));
    if (s->meeting) return PEN_OK;
    PEN_TRY(fit(&s->held, s->reserve));
    return fit(&s->out, s->reserve + MOST_RADIX * (int64_t)sizeof(message_head));
}

void pen_short_free(pen_short_blocks *s)
{
    PEN_FREE_ALL(s->held.bytes, s->out.bytes, s->heads == s->few ? NULL : s->heads);
    s->held = s->out = (pen_buffer){ 0 };
    s->heads = NULL;
}

/* A block as it travels, at `to`, which has room. */
static void write_block(const pen_short_blocks *s, const pen_blocks *blocks, const int64_t *reply_bytes, int i,
                        unsigned char *to)
{
    const int64_t bytes = blocks->offsets[i + 1] - blocks->offsets[i];
    const pen_head head = { s->comm->rank, blocks->ranks[i], bytes, reply_bytes ? reply_bytes[i] : 0 };
    memcpy(to, &head, sizeof head);
    if (bytes <= s->limit) memcpy(to + sizeof head, blocks->data + blocks->offsets[i], (size_t)bytes);
}

/* Bytes of block i as it travels; 0: it does not. */
static int64_t travelling(const pen_short_blocks *s, const pen_blocks *blocks, int i, bool all)
{
    const int64_t bytes = blocks->offsets[i + 1] - blocks->offsets[i];
    if (bytes == 0 || blocks->ranks[i] == s->comm->rank || (!all && bytes > s->limit)) return 0;
    return size_of(s, bytes);
}

static int by_sender(const void *a, const void *b)
{
    return (*(const pen_head *const *)a)->from - (*(const pen_head *const *)b)->from;
}

static void sort_heads(pen_short_blocks *s)
{
    bool ascend = true;
    for (int i = 1; i < s->count; i++) ascend = ascend && s->heads[i - 1]->from < s->heads[i]->from;
    if (!ascend) qsort(s->heads, (size_t)s->count, sizeof(const pen_head *), by_sender);
}

/* All that is held is for this rank. */
static void list_held(pen_short_blocks *s)
{
    s->count = 0;
    for (int64_t at = 0; at < s->held.used;) {
        const pen_head *head = (const pen_head *)(const void *)(s->held.bytes + at);
        s->heads[s->count++] = head;
        at += size_of(s, head->bytes);
    }
}

static void hold(pen_short_blocks *s, const void *bytes, int64_t count)
{
    if (s->mine == PEN_OK) s->mine = fit(&s->held, s->held.used + count);
    if (s->mine != PEN_OK) return;
    memcpy(s->held.bytes + s->held.used, bytes, (size_t)count);
    s->held.used += count;
}

/* ---- Through shared memory ------------------------------------------------------------------------------------ */

/* Fill this rank's box with blocks from *next on, as many as have room there and at their receivers. */
static void fill_box(pen_short_blocks *s, const pen_blocks *blocks, const int64_t *reply_bytes, bool all, int *next)
{
    unsigned char *box = pen_meeting_box(s->meeting);
    int64_t used = 0;
    for (; *next < blocks->count; ++*next) {
        const int64_t size = travelling(s, blocks, *next, all);
        if (size == 0) continue;
        if (used + size > PEN_MEETING_BOX || !pen_meeting_point(s->meeting, blocks->ranks[*next], (uint32_t)used))
            return;
        write_block(s, blocks, reply_bytes, *next, box + used);
        used += size;
    }
}

/* Boxes are valid long enough if there is one round only. */
static pen_status deliver_in_boxes(pen_short_blocks *s, const pen_blocks *blocks, const int64_t *reply_bytes, bool all,
                                   uint32_t says)
{
    bool more, first = true;
    uint32_t now;
    int next = 0;
    do {
        if (!(says & PEN_SHORT_FAILED)) fill_box(s, blocks, reply_bytes, all, &next);
        more = !(says & PEN_SHORT_FAILED) && next < blocks->count;
        pen_meeting_say(s->meeting, says | (more ? PEN_SHORT_MORE : 0));
        pen_meeting_wait(s->meeting, "a sparse exchange");
        s->said |= now = pen_meeting_said(s->meeting);
        more = (now & PEN_SHORT_MORE) && !(now & PEN_SHORT_FAILED);
        const pen_pointers *in = pen_meeting_pointers(s->meeting);
        const int count = pen_pointers_count(in);
        for (int i = 0; i < count && !(s->said & PEN_SHORT_FAILED); i++) {
            const unsigned char *at = pen_meeting_box_of(s->meeting, in->to[i].rank) + in->to[i].at;
            const pen_head *head = (const pen_head *)(const void *)at;
            if (first && !more) s->heads[s->count++] = head;
            else hold(s, at, size_of(s, head->bytes));
        }
        pen_meeting_clear_pointers(s->meeting);
        if (!first && !more && s->mine == PEN_OK) list_held(s);
        first = false;
    } while (more);
    return PEN_OK;
}

/* ---- Routes --------------------------------------------------------------------------------------------------- */

typedef struct stage {
    int step, ways;                      /* radix^k; digits except 0 that occur */
    int64_t bytes[MOST_RADIX];           /* [ways] to send */
    unsigned char *messages[MOST_RADIX]; /* [ways] */
    message_head none[MOST_RADIX];       /* messages of a rank that has no memory */
} stage;

/* The digit of that stage of the distance that the block at `head` still has to go. */
static int digit_of(const pen_short_blocks *s, const stage *g, const pen_head *head)
{
    const int distance = head->to - s->comm->rank + (head->to < s->comm->rank ? s->comm->size : 0);
    return distance / g->step % s->radix;
}

/* Move what is to be sent in this stage from what is held to the messages. */
static void sort_out(pen_short_blocks *s, stage *g)
{
    int64_t total = 0;
    for (int64_t at = 0; s->mine == PEN_OK && at < s->held.used;) {
        const pen_head *head = (const pen_head *)(const void *)(s->held.bytes + at);
        const int digit = digit_of(s, g, head);
        if (digit > 0) g->bytes[digit - 1] += size_of(s, head->bytes);
        at += size_of(s, head->bytes);
    }
    for (int w = 0; w < g->ways; w++) total += (int64_t)sizeof(message_head) + g->bytes[w];
    if (s->mine == PEN_OK) s->mine = fit(&s->out, total);
    if (s->mine != PEN_OK) s->held.used = 0;
    unsigned char *message = s->out.bytes, *next[MOST_RADIX];
    for (int w = 0; w < g->ways; w++) {
        if (s->mine != PEN_OK) g->bytes[w] = 0;
        const message_head head = { g->bytes[w], s->said };
        g->messages[w] = s->mine == PEN_OK ? message : (unsigned char *)&g->none[w];
        memcpy(g->messages[w], &head, sizeof head);
        next[w] = g->messages[w] + sizeof head;
        if (s->mine == PEN_OK) message += (int64_t)sizeof head + g->bytes[w];
    }
    int64_t kept = 0;
    for (int64_t at = 0, size; at < s->held.used; at += size) {
        unsigned char *block = s->held.bytes + at;
        const pen_head *head = (const pen_head *)(const void *)block;
        const int digit = digit_of(s, g, head);
        size = size_of(s, head->bytes);
        if (digit > 0) {
            memcpy(next[digit - 1], block, (size_t)size);
            next[digit - 1] += size;
        } else {
            memmove(s->held.bytes + kept, block, (size_t)size);
            kept += size;
        }
    }
    s->held.used = kept;
}

/* Receive what is longer than the first part. A rank without memory must receive it, too, since MPICH ends the program
 * rather than truncate a message. */
static pen_status receive_rest(pen_short_blocks *s, int from, int64_t bytes)
{
    if (s->mine == PEN_OK) s->mine = fit(&s->held, s->held.used + bytes);
    unsigned char *nowhere = s->mine == PEN_OK ? NULL : malloc((size_t)bytes);
    if (s->mine != PEN_OK && !nowhere) pen_die("out of memory: a message of %" PRId64 " bytes", bytes);
    const int code = PEN_MARKED(MPI_Recv(nowhere ? nowhere : s->held.bytes + s->held.used, (int)bytes, MPI_BYTE, from,
                                         TAG_REST, s->comm->mpi, MPI_STATUS_IGNORE));
    free(nowhere);
    if (code != MPI_SUCCESS) return pen_mpi_failed(code, "MPI_Recv");
    if (s->mine == PEN_OK) s->held.used += bytes;
    return PEN_OK;
}

static pen_status send_stage(pen_short_blocks *s, stage *g)
{
    unsigned char room[STAGE_BYTES];
    MPI_Request requests[2 * MOST_RADIX];
    MPI_Comm mpi = s->comm->mpi;
    const int me = s->comm->rank, size = s->comm->size, first = first_part(s);
    const int64_t head = sizeof(message_head);
    int n = 0;
    for (int w = 0; w < g->ways; w++) {
        const int from = (int)(((int64_t)me - (w + 1) * g->step + size) % size);
        PEN_MPI(MPI_Irecv(room + w * first, first, MPI_BYTE, from, TAG_FIRST, mpi, &requests[n++]));
    }
    for (int w = 0; w < g->ways; w++) {
        const int to = (int)(((int64_t)me + (w + 1) * g->step) % size);
        PEN_MPI(MPI_Isend(g->messages[w], (int)least(head + g->bytes[w], first), MPI_BYTE, to, TAG_FIRST, mpi,
                          &requests[n++]));
    }
    PEN_MPI(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE));
    for (int w = 0; w < g->ways; w++) {
        message_head in;
        memcpy(&in, room + w * first, sizeof in);
        s->said |= (uint32_t)in.said;
        hold(s, room + w * first + head, least(in.bytes, first - head));
        const int from = (int)(((int64_t)me - (w + 1) * g->step + size) % size);
        const int to = (int)(((int64_t)me + (w + 1) * g->step) % size);
        const int64_t sends = head + g->bytes[w] - first, receives = head + in.bytes - first;
        MPI_Request rest = MPI_REQUEST_NULL;
        if (sends > 0) PEN_MPI(MPI_Isend(g->messages[w] + first, (int)sends, MPI_BYTE, to, TAG_REST, mpi, &rest));
        if (receives > 0) PEN_TRY(receive_rest(s, from, receives));
        if (sends > 0) PEN_MPI(MPI_Wait(&rest, MPI_STATUS_IGNORE));
    }
    return PEN_OK;
}

static pen_status deliver_on_routes(pen_short_blocks *s, const pen_blocks *blocks, const int64_t *reply_bytes, bool all)
{
    int64_t total = 0;
    bool takes_part = !(s->said & PEN_SHORT_FAILED);
    for (int i = 0; takes_part && i < blocks->count; i++) total += travelling(s, blocks, i, all);
    if (takes_part) s->mine = fit(&s->held, total);
    for (int i = 0; takes_part && s->mine == PEN_OK && i < blocks->count; i++) {
        const int64_t size = travelling(s, blocks, i, all);
        if (size == 0) continue;
        write_block(s, blocks, reply_bytes, i, s->held.bytes + s->held.used);
        s->held.used += size;
    }
    for (int64_t step = 1; step < s->comm->size; step *= s->radix) {
        stage g = { .step = (int)step };
        while (g.ways < s->radix - 1 && (g.ways + 1) * step < s->comm->size) g.ways++;
        sort_out(s, &g);
        PEN_TRY(send_stage(s, &g));
    }
    if (!(s->said & PEN_SHORT_FAILED) && s->mine == PEN_OK) list_held(s);
    return PEN_OK;
}

pen_status pen_short_deliver(pen_short_blocks *s, const pen_blocks *blocks, const int64_t *reply_bytes, bool all,
                             uint32_t says)
{
    s->said = says;
    s->count = 0;
    s->held.used = 0;
    s->mine = says & PEN_SHORT_FAILED ? PEN_ERR_MEMORY : PEN_OK;
    if (s->meeting) PEN_TRY(deliver_in_boxes(s, blocks, reply_bytes, all, says));
    else PEN_TRY(deliver_on_routes(s, blocks, reply_bytes, all));
    if (!(s->said & PEN_SHORT_FAILED) && s->mine == PEN_OK) sort_heads(s);
    return PEN_OK;
}
