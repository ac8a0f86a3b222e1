/* sparse.h - sparse exchange: every rank sends blocks to some ranks, and nobody knows from whom to
 * expect any.
 *
 * For few ranks by MPI_Alltoall of the counts; beyond by non-blocking consensus (Hoefler, Siebert,
 * Lumsdaine: Scalable communication protocols for dynamic sparse data exchange, PPoPP 2010), whose
 * memory is O(partners). Consecutive exchanges alternate tags, else messages of two rounds mix. */
#ifndef PEN_SPARSE_H
#define PEN_SPARSE_H

#include "comm.h"

/* Blocks of bytes to or from ranks: block i belongs to ranks[i] and is bytes[offsets[i] ..
 * offsets[i+1]) of data. Ranks are distinct and ascending. */
typedef struct pen_blocks {
    int count;
    int *ranks;         /* [count] */
    int64_t *offsets;   /* [count+1], offsets[0] = 0 */
    unsigned char *data;
} pen_blocks;

/* Collective. Deliver the blocks; *received has one block for each rank that sent a non-empty one
 * (also from this rank to itself), ranks ascending, arrays of its own (pen_blocks_free). A status
 * that is not PEN_OK on any rank is returned on all, with *received empty; `mine` is this rank's
 * status so far, so that building the blocks and agreeing on them is one step. Blocks may exceed
 * 2 GiB. */
PEN_CHECKED pen_status pen_sparse_exchange(pen_comm *comm, pen_status mine, const pen_blocks *send, pen_blocks *received);

/* Local. Frees the arrays and zeroes the structure. */
void pen_blocks_free(pen_blocks *blocks);

/* Local. Build the blocks for `count` records of `size` bytes: record i goes to rank to[i]; records
 * for one rank keep their order. order[i] (may be NULL) gets the position of record i among all
 * records sent, so that answers can be matched. Linear in count + number of ranks addressed * log. */
PEN_CHECKED pen_status pen_blocks_group(int64_t count, const int *to, const void *records, size_t size, pen_blocks *blocks,
                                        int64_t *order);

#endif
