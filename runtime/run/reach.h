/* reach.h - records of nodes that are not neighbours of this rank's nodes, read directly from their owners: for far
 * reads and for fetch.
 *
 * The directory knows a node's owner, and the owner knows the slot. Both are requested once and remembered, until a
 * migration changes the slots. Then a read is a get from a known place of a known window.
 *
 * Synchronisation. A far read reads the current plane of a field, of boundary and interior nodes, on any rank. Halo
 * pulls synchronise only neighbours, and only for boundary nodes. So all ranks synchronise between the last store into
 * a plane and the first far get from it, and between the last far get and the next store:
 *
 *     agree; far_begin; gets; far_end
 *
 * When the agreement ends, all ranks have left all phases before this one, so the current planes of all ranks are
 * complete (RAW); far_begin adds what the kind of epoch needs. far_end returns when the gets of all ranks are complete.
 * In between no rank stores into a current plane: no rank is inside a phase, and pulls write to next planes before the
 * planes change roles. The phase that follows stores into the next planes, and any phase that overwrites what was read
 * here begins after far_end (WAR): far reads alone would not need two planes. Own nodes and shadows are read in place,
 * later, while the phase runs: the phase stores into next planes only, and a transport fills shadows of next planes
 * only. Owners that reply by message do so between two phases.
 *
 * Epochs: transports that fence do it here too. pscw first ends its exposure and leaves the fences with NOSUCCEED.
 * passive stays in its lock_all, flushes, and ends with a barrier. In a shared window gets are loads by this rank,
 * between the same synchronisations and without a call for each. If ranks have no window that reaches all others
 * (two-sided transports; shared on several hosts), owners receive the slots and reply with records. */
#pragma once

#include "base/key_table.h"
#include "halo/halo.h"

/* A rank that owns nodes which were asked for. */
typedef struct pen_reach_owner {
    pen_neighbor at;
    unsigned char *segment; /* its memory, which begins before its payload; NULL: its memory is not shared */
    int64_t *offsets;       /* [2*fields] offsets of its planes in its payload */
} pen_reach_owner;

/* A node that was asked for. */
typedef struct pen_reach_node {
    pen_gid gid;
    int32_t owner; /* index into owners; -1: no owner is known */
    pen_lid slot;  /* slot at its owner */
    pen_lid place; /* place among the records of its last batch */
    uint32_t batch;
} pen_reach_node;

typedef struct pen_reach {
    pen_reach_node *nodes; /* [count] the requested nodes */
    pen_lid count, room;
    pen_key_table table;     /* index of the nodes by gid */
    pen_lid looked_up;       /* number of nodes that have been looked up */
    pen_pages *owner_of;     /* rank -> place in owners */
    pen_reach_owner *owners; /* [owner_count] owners of the nodes */
    int owner_count;
    /* The batch. */
    uint32_t batch;
    pen_lid *wanted; /* [wanted_count] places in nodes, by place of the record */
    pen_lid wanted_count, wanted_room;
    unsigned char *memory;
    int64_t memory_bytes;
    void **records; /* [fields] records of the last pen_reach_read, [wanted_count] each, in `memory` */
} pen_reach;

/* Local. Make *reach for so many fields of the run, unless it exists. It has addresses in the halo's windows: destroy
 * it before a migration. Errors: PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_reach_create(int fields, pen_reach **reach);
void pen_reach_destroy(pen_reach **reach);

/* Local. Begin a batch without requests. Known places are kept in proportion to the number of requests. */
void pen_reach_begin(pen_reach *reach);

/* Local. A hint: that gid will be wanted soon. */
static inline void pen_reach_prefetch(const pen_reach *reach, pen_gid gid)
{
    pen_key_prefetch(&reach->table, (uint64_t)gid);
}

/* Local. Want the node with that gid >= 0; *place is where its records will be. Errors: PEN_ERR_MEMORY,
 * PEN_ERR_UNSUPPORTED (2^31 of them). */
PEN_CHECKED pen_status pen_reach_want(pen_reach *reach, pen_gid gid, pen_lid *place);

/* Collective, outside phases; `fields` is the same on all ranks. Read the current records of the requested nodes into
 * reach->records. One all-reduce if no rank requests any. Each rank passes its status so far; after a failure, the same
 * on all ranks, nothing has been read. Errors: PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_reach_read(pen_halo *halo, pen_reach *reach, pen_status mine, uint64_t fields);

/* Local, after pen_reach_read. Whether the node at this place exists. */
static inline bool pen_reach_found(const pen_reach *reach, pen_lid place)
{
    return reach->nodes[reach->wanted[place]].owner >= 0;
}
