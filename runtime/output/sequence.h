/* sequence.h - all nodes by ascending gid, independent of their owners, cut into a contiguous part for each rank to
 * write. Values are brought into this order in pieces, so that no rank needs much more memory than for its own nodes. A
 * sequence is valid until the store's version changes. */
#pragma once

#include "base/per_rank.h"
#include "graph/graph.h"
#include "output/columns.h"

/* This rank's nodes in the part of a rank: slots[begin] .. slots[begin of the next share - 1]. */
typedef struct pen_share {
    int rank;
    pen_lid begin;
} pen_share;

typedef struct pen_sequence {
    int64_t count;   /* number of all nodes; positions are 0..count-1 */
    int ranks;       /* each has a part; the lengths of the parts differ by at most one (pen_block_begin) */
    bool dense;      /* gids are equal to positions */
    pen_gid largest; /* the largest gid; -1: there are no nodes */
    int share_count;
    pen_share *shares; /* [share_count+1] of the parts that have nodes of this rank, ranks ascending; then the end */
    pen_lid *slots;    /* [owned] slots of this rank's nodes, ascending by gid */
    uint32_t *places;  /* [owned] position of slots[i] from the start of its part; NULL if dense */
    int32_t version;   /* version of the store (store->migrations) for which the sequence is valid */
} pen_sequence;

/* Collective. Make the sequence of a store. On failure there is nothing to free. PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_sequence_make(pen_comm *comm, const pen_store *store, pen_sequence *sequence);

/* Local. Free the arrays. */
void pen_sequence_free(pen_sequence *sequence);

/* Local. The place of slots[i] in its part, which begins at position `start`. */
static inline uint32_t pen_sequence_place(const pen_sequence *s, const pen_store *store, int64_t start, int64_t i)
{
    return s->places ? s->places[i] : (uint32_t)(store->gids[s->slots[i]] - start);
}

/* Local. The first position of a rank's part; of rank `ranks`: the number of all nodes. */
static inline int64_t pen_sequence_start(const pen_sequence *s, int rank)
{
    return pen_block_begin(s->count, s->ranks, rank);
}

/* For each node a list of the numbers of the points, or positions, at the other ends of its lines. An undirected edge
 * is in the list of the end with the lower gid, an arc in that of the node that reads. */
typedef struct pen_lists {
    int64_t *begins;  /* [owned+1] beginning of each slot's list in `entries` */
    int64_t *entries; /* [begins[owned]] the lists */
} pen_lists;

/* The values of consecutive nodes of this rank's part. */
typedef struct pen_piece {
    int64_t first; /* position of the first node */
    int64_t count;
    unsigned char **values; /* [columns] arrays of values, each [count] */
    int64_t *begins;        /* [count+1] beginning of each node's list in `entries`; NULL: there are no lists */
    int64_t *entries;       /* [begins[count]] the lists */
} pen_piece;

/* Local. A function that processes a piece. Its failure ends the delivery on all ranks. */
typedef pen_status pen_take_fn(void *context, const pen_piece *piece);

/* Collective. Call `take` with all nodes of this rank's part, in ascending order, in pieces of about pen_piece_bytes.
 * Columns without .from get the owners. lists may be NULL. mine: this rank's status so far. PEN_ERR_MEMORY,
 * PEN_ERR_MPI, and failures of `take`. */
PEN_CHECKED pen_status pen_deliver(pen_comm *comm, pen_status mine, const pen_store *store,
                                   const pen_sequence *sequence, const pen_columns *columns, const pen_lists *lists,
                                   pen_take_fn *take, void *context);

/* Approximate bytes of a piece. Tests make it smaller, the same on all ranks. */
extern PEN_PER_RANK int64_t pen_piece_bytes;
