/* pull_blocks.h - one-sided exchange of blocks between ranks that do not know who sends to them: a rank writes its
 * blocks into its window, tells each receiver where, and the receivers pull them. sparse.h is the two-sided exchange.
 *
 *     reserve; write into the window; pull; read the blocks; an agreement of all ranks; reserve; ...
 *
 * They synchronise as the transport does for far reads (halo.h). Telling where blocks are is the agreement before the
 * reads. The one that follows ends them: so a rank may write into its window again, or replace it. Where a transport
 * loads from shared memory, nothing is copied: the blocks are read where their senders wrote them. */
#pragma once

#include "base/sparse.h"
#include "halo/halo.h"

typedef struct pen_pull {
    const pen_transport *transport; /* how to synchronise; NULL: blocks cannot be pulled */
    pen_window_kind kind;           /* kind of the window */
    pen_window window;              /* window with the blocks that this rank sends */
    bool opened;                    /* the window exists */
    bool in_place;                  /* blocks are read where they are */
    pen_blocks heads;               /* what senders told, a block of one head for each, ranks ascending */
    int64_t heads_room;
    const unsigned char **at; /* [heads.count] the blocks that have come, valid until the next agreement */
    int64_t at_room;
    unsigned char *memory; /* blocks that were got */
    int64_t memory_room;
} pen_pull;

/* Collective. Choose how to synchronise: like the halo if its transport is one-sided; otherwise by loads where ranks
 * share memory, and by fences elsewhere; pull->transport is NULL if no window works. *pull is zeroed. PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_pull_open(const pen_halo *halo, pen_pull *pull);

/* Collective. Make room for blocks of so many bytes on this rank. *most: the largest number of any rank. Each rank
 * passes its status so far; a failure is returned on all ranks. If the window cannot grow, pull->transport is NULL, and
 * pen_error_message() says why. PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_pull_reserve(pen_halo *halo, pen_pull *pull, pen_status mine, int64_t bytes, int64_t *most);

/* Collective. Pull the blocks of all ranks: `send` has those of this rank, with send->data in its window. A failure of
 * some rank before is returned on all ranks. Otherwise the caller has to agree on the status. PEN_ERR_MEMORY,
 * PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_pull_blocks(pen_halo *halo, pen_pull *pull, pen_status mine, const pen_blocks *send);

/* Collective, if a window exists. */
void pen_pull_close(pen_pull *pull);
