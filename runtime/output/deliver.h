/* deliver.h - the nodes' values brought into the order of their gids, piece by piece, so that no rank holds more than a
 * little besides its own. */
#pragma once

#include "output/columns.h"
#include "output/sequence.h"

/* Where an undirected edge's end with the lower gid, or each end that reads, has the other one: a list for each node of
 * numbers of points or positions. */
typedef struct pen_lists {
    int64_t *begins;  /* [owned+1] by slot */
    int64_t *entries; /* [begins[owned]] */
} pen_lists;

/* Some nodes that follow each other, of this rank's part. */
typedef struct pen_piece {
    int64_t first; /* position */
    int64_t count;
    unsigned char **values; /* [columns] each [count] one behind the other */
    int64_t *begins;        /* [count+1] of the nodes' lists; NULL: there are none */
    int64_t *entries;       /* [begins[count]] */
} pen_piece;

/* Local. Do something with a piece; a failure ends the delivery on all ranks. */
typedef pen_status pen_take_fn(void *context, const pen_piece *piece);

/* Collective. Call `take` with all of this rank's part, in ascending order, in pieces of about pen_piece_bytes. Columns
 * without .from are those of owners. lists may be NULL. mine: this rank's status so far. PEN_ERR_MEMORY, PEN_ERR_MPI,
 * and what `take` returns. */
PEN_CHECKED pen_status pen_deliver(pen_comm *comm, pen_status mine, const pen_store *store,
                                   const pen_sequence *sequence, const pen_columns *columns, const pen_lists *lists,
                                   pen_take_fn *take, void *context);

/* Tests make it smaller, on all ranks alike. */
extern int64_t pen_piece_bytes;
