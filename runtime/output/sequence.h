/* sequence.h - all nodes by ascending gid, whoever owns them, cut into a contiguous part for each rank to write: which
 * of this rank's nodes belong to whose part, and where. It is as good as the store's version. */
#pragma once

#include "store/store.h"

typedef struct pen_sequence {
    int64_t count;    /* of all nodes; positions are 0..count-1 */
    bool dense;       /* and so are gids */
    pen_gid largest;  /* -1: there are no nodes */
    int64_t *starts;  /* [ranks+1] of the ranks' parts, which differ by one node at most */
    int64_t *cuts;    /* [ranks+1] nodes for rank r are slots[cuts[r]] .. slots[cuts[r + 1] - 1] */
    pen_lid *slots;   /* [owned] of this rank's nodes, ascending by gid */
    uint32_t *places; /* [owned] of slots[i], behind the start of the part that it belongs to; NULL where dense */
    int32_t version;  /* store->migrations */
} pen_sequence;

/* Collective. On failure there is nothing to free. PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_sequence_make(pen_comm *comm, const pen_store *store, pen_sequence *sequence);

/* Local. */
void pen_sequence_free(pen_sequence *sequence);

/* Local. Where slots[i] is in rank `to`'s part, to which it belongs. */
static inline uint32_t pen_sequence_place(const pen_sequence *s, const pen_store *store, int to, int64_t i)
{
    return s->places ? s->places[i] : (uint32_t)(store->gids[s->slots[i]] - s->starts[to]);
}
