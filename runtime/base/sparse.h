/* sparse.h - sparse exchange: every rank sends blocks to some ranks, and no rank knows which ranks will send to it.
 *
 * Heads with lengths are sent first, with the bytes of short blocks (short_blocks.h), then the other bytes. No rank
 * polls for messages of unknown senders. Memory is O(partners), and during an exchange 20 bytes for each rank and up to
 * four reserves (short_blocks.c). */
#pragma once

#include "base/short_blocks.h"

/* Collective. Deliver the blocks; *received has one block for each rank that sent a non-empty one
 * (also from this rank to itself), ranks ascending, arrays of its own (pen_blocks_free). A status
 * that is not PEN_OK on any rank is returned on all, with *received empty; `mine` is this rank's
 * status so far, so that building the blocks and agreeing on them is one step (`send` is not read
 * where it is a failure). Blocks may exceed 2 GiB. An exchange of short blocks costs one meeting of the ranks of a
 * host, or the messages of the routes; a longer one also the messages with the bytes, a large one (RESERVE in
 * short_blocks.c, divided by the number of ranks) also an agreement that all ranks have the memory. */
PEN_CHECKED pen_status pen_sparse_exchange(pen_comm *comm, pen_status mine, const pen_blocks *send,
                                           pen_blocks *received);

/* Collective. The same for blocks that are exchanged again and again: *received are those of the last time, at first
 * empty, and *room the bytes of their memory, at first 0. It is used again, and grows. After a failure *received is
 * empty, and *room 0. The caller frees *received in the end (pen_blocks_free). */
PEN_CHECKED pen_status pen_sparse_exchange_into(pen_comm *comm, pen_status mine, const pen_blocks *send,
                                                pen_blocks *received, int64_t *room);

/* Collective. Deliver `count` records of `size` bytes, record i to rank to[i] (pen_blocks_group, pen_sparse_exchange).
 */
PEN_CHECKED pen_status pen_sparse_send(pen_comm *comm, pen_status mine, int64_t count, const int *to,
                                       const void *records, size_t size, pen_blocks *received);

/* A request to some ranks, and their replies. */
typedef struct pen_inquiry {
    pen_blocks received; /* the requests that arrived here */
    pen_blocks outgoing; /* the replies to these requests: the caller fills in the data */
    pen_blocks replies;  /* the replies that arrived here, in the order of this rank's requests */
    pen_short_blocks travelling;
    void *requests; /* of MPI, where there are many */
} pen_inquiry;

/* Collective. Phase 1 sends the requests like pen_sparse_exchange; no block may be empty. reply_bytes[i] > 0 is the
 * length of the reply to block i. If phase 1 returned PEN_OK, phase 2 sends the replies. No rank can fail in between,
 * so that both together cost little more than one exchange. Call pen_inquiry_free in any case. */
PEN_CHECKED pen_status pen_sparse_request(pen_comm *comm, pen_status mine, const pen_blocks *questions,
                                          const int64_t *reply_bytes, pen_inquiry *inquiry);
PEN_CHECKED pen_status pen_sparse_reply(pen_comm *comm, pen_inquiry *inquiry);

/* Local. */
void pen_inquiry_free(pen_inquiry *inquiry);

/* Local. Blocks that will be sent by peers, which only read them. */
static inline pen_parcels pen_blocks_parcels(const pen_blocks *blocks)
{
    pen_parcels parcels;
    parcels.count = blocks->count;
    parcels.ranks = blocks->ranks;
    parcels.offsets = blocks->offsets;
    parcels.data = blocks->data;
    return parcels;
}

/* Local. The bytes of all blocks. */
static inline int64_t pen_blocks_bytes(const pen_blocks *blocks)
{
    return blocks->count ? blocks->offsets[blocks->count] : 0;
}

/* Local. Frees the arrays and zeroes the structure. */
void pen_blocks_free(pen_blocks *blocks);

/* Local. Build the blocks for `count` records of `size` > 0 bytes: record i goes to rank to[i] >= 0; records for one
 * rank keep their order. order[i] (`order` may be NULL) is the position of record i among all records sent, for
 * matching replies. Time and memory are linear in count and do not depend on the number of ranks. On failure *blocks is
 * empty. */
PEN_CHECKED pen_status pen_blocks_group(int64_t count, const int *to, const void *records, size_t size,
                                        pen_blocks *blocks, int64_t *order);

/* Local. Build blocks that the caller fills: bytes[r] for rank r, [ranks]; 0: no block. Each bytes[r] becomes the
 * offset of rank r's block in blocks->data, as a cursor for filling. On failure *blocks is empty. */
PEN_CHECKED pen_status pen_blocks_open(int ranks, int64_t *bytes, pen_blocks *blocks);

/* Local. The same in memory that is used again: *blocks are those of the last time, at first empty, and *room the bytes
 * at blocks->data, at first 0. On failure *blocks has no blocks. */
PEN_CHECKED pen_status pen_blocks_open_into(int ranks, int64_t *bytes, pen_blocks *blocks, int64_t *room);
