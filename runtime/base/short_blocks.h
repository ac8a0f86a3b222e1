/* short_blocks.h - delivers the heads of blocks to ranks that do not know which ranks send them blocks, and with a head
 * the bytes of its block, if it is short.
 *
 * On one host, ranks write them into boxes in shared memory and tell the receivers where (meeting.h): one round, and
 * more where boxes get full. Otherwise they are routed (Bruck et al.: Efficient algorithms for all-to-all
 * communications in multiport message-passing systems, IEEE TPDS 8(11), 1997): in stage k a rank sends, for each digit
 * d > 0, what still has to go a distance with d as its k-th digit, to the rank d * radix^k after it. So there are
 * (radix - 1) messages in each of the log(ranks) stages, from known senders, and the same stages tell every rank what
 * any rank says. With as many digits as ranks, every rank sends every other rank one message. */
#pragma once

#include "base/comm.h"
#include "base/per_rank.h"
#include <penumbra_plugin.h>

typedef struct pen_head {
    int from, to;
    int64_t bytes; /* of the block, > 0 */
    int64_t reply; /* bytes of the reply, where blocks are requests */
} pen_head;        /* in a buffer the bytes of a short block follow, up to a multiple of 8 */

/* What some rank says. */
enum {
    PEN_SHORT_FAILED = 1,     /* it takes part without blocks */
    PEN_SHORT_LARGE = 2,      /* a block or reply of it is too long for the memory that each rank has provided */
    PEN_SHORT_LONG = 4,       /* a block of it is not short */
    PEN_SHORT_LONG_REPLY = 8, /* a reply that it expects is not short */
    PEN_SHORT_MORE = 16       /* its box was full */
};

enum { PEN_SHORT_FEW = 64 }; /* ranks, at most, that have arrays of that length on the stack */

typedef struct pen_buffer {
    unsigned char *bytes;
    int64_t used, room;
} pen_buffer;

typedef struct pen_short_blocks {
    pen_comm *comm;
    pen_meeting *meeting;   /* NULL: they are routed */
    int radix;              /* of routes */
    int64_t reserve;        /* bytes of memory that each rank provides */
    int64_t limit;          /* bytes of a short block */
    int64_t share;          /* bytes that a rank can take from each other one without an agreement */
    pen_buffer held, out;   /* what is here; what is sent */
    const pen_head **heads; /* [count] of the blocks that came, ranks ascending; valid until the next collective call */
    const pen_head *few[PEN_SHORT_FEW]; /* memory of heads, among few ranks */
    int count;
    uint32_t said;   /* by any rank */
    pen_status mine; /* of this rank: PEN_ERR_MEMORY only if some rank said PEN_SHORT_LARGE or PEN_SHORT_MORE */
} pen_short_blocks;

/* Local. Begin, without memory. */
void pen_short_open(pen_comm *comm, pen_short_blocks *s);

/* Local. Provide memory. Where it fails, the rank says PEN_SHORT_FAILED. */
PEN_CHECKED pen_status pen_short_room(pen_short_blocks *s);

/* Local, equal on all ranks. Whether senders that are known to their receivers, as those of replies are, should rather
 * send a message each: otherwise they would all send every other rank one. */
bool pen_short_direct(const pen_short_blocks *s);

/* Collective. Deliver the blocks, none to this rank itself. `all`: blocks that are not short send their heads, and not
 * nothing. If `says` or s->said has PEN_SHORT_FAILED, s->heads is undefined. PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_short_deliver(pen_short_blocks *s, const pen_blocks *blocks, const int64_t *reply_bytes,
                                         bool all, uint32_t says);

/* Local. */
void pen_short_free(pen_short_blocks *s);

/* Local. */
static inline const unsigned char *pen_head_bytes(const pen_head *head) { return (const unsigned char *)(head + 1); }

/* Tests change it, on all ranks alike: 0: shared memory or the radix that suits; 2..64: routes with that radix. */
extern PEN_PER_RANK int pen_short_radix;

/* Likewise: the bytes of the longest message with a part of a block (1..INT_MAX). */
extern PEN_PER_RANK int64_t pen_sparse_message_bytes;
