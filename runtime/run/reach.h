/* reach.h - records of nodes that are neighbours of none here, read straight from their owners: for far
 * reads and for fetch.
 *
 * The directory knows a node's owner, and the owner the slot; both are asked for once and remembered, until
 * a migration gives everybody new slots. From then on
 * the current record is a get from a known place of a known window.
 *
 * Which sides must wait for each other. What is read is the current plane of a field, of boundary and
 * interior nodes alike, on any rank; halo pulls synchronise neighbours, and only as far as boundary nodes.
 * So between the last store into a plane and the first far get from it, and between the last far get and
 * the next store, all ranks synchronise:
 *
 *     agree; far_begin; gets; far_end
 *
 * All ranks have left all phases before this one when the agreement ends, so the current planes of all ranks
 * are complete (RAW); far_begin is what the kind of epoch needs besides. far_end returns when the gets of all
 * ranks are complete. Between the two nobody stores into a current plane: nobody is inside a phase, and pulls
 * land in next planes before the planes change roles. The phase that follows stores into the next planes,
 * and any that overwrites what was read here begins after far_end (WAR): here two planes are not even needed.
 * Own nodes and shadows are read in place, later, while the phase runs: that stores into next planes only,
 * and a transport fills shadows of next planes only. Owners that answer by message do so between two phases.
 *
 * Epochs: transports that fence do it here too; pscw first ends its exposure and leaves the fences with
 * NOSUCCEED; passive stays in its lock_all, flushes, and ends with a barrier. In a shared window gets are loads
 * of ours, between the same synchronisations and without a call for each. Where ranks have no window that reaches
 * all the others (two-sided transports; shared on several hosts) owners are sent the slots and answer with records.
 */
#pragma once

#include "base/key_table.h"
#include "halo/halo.h"

/* A rank that owns nodes which were asked for. */
typedef struct pen_reach_owner {
    pen_neighbor at;
    int64_t *offsets; /* [2*fields] of its planes in its payload */
} pen_reach_owner;

/* A node that was asked for. */
typedef struct pen_reach_node {
    pen_gid gid;
    int32_t owner; /* place in owners, or -1: nobody, as far as is known */
    pen_lid slot;  /* at its owner */
    pen_lid place; /* among the records of its last batch */
    uint32_t batch;
} pen_reach_node;

typedef struct pen_reach {
    pen_reach_node *nodes; /* [count] */
    pen_lid count, room;
    pen_key_table table;     /* of nodes, by gid */
    pen_lid looked_up;       /* nodes from there on have not been */
    pen_pages *owner_of;     /* rank -> place in owners */
    pen_reach_owner *owners; /* [owner_count] */
    int owner_count;
    /* The batch. */
    uint32_t batch;
    pen_lid *wanted; /* [wanted_count] places in nodes, by place of the record */
    pen_lid wanted_count, wanted_room;
    unsigned char *memory;
    int64_t memory_bytes;
    void **records; /* [fields] of the last pen_reach_read, [wanted_count] each, in `memory` */
} pen_reach;

/* Local. Of the run, for so many fields; *reach is made where it is NULL. It knows places in the halo's windows: a
 * migration ends it. Errors: PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_reach_create(int fields, pen_reach **reach);
void pen_reach_destroy(pen_reach **reach);

/* Local. Begin a batch: nothing is wanted. Keeps what is known in proportion to what is asked for. */
void pen_reach_begin(pen_reach *reach);

/* Local. A hint: that gid will be wanted soon. */
static inline void pen_reach_prefetch(const pen_reach *reach, pen_gid gid)
{
    pen_key_prefetch(&reach->table, (uint64_t)gid);
}

/* Local. Want the node with that gid >= 0; *place is where its records will be. Errors: PEN_ERR_MEMORY,
 * PEN_ERR_UNSUPPORTED (2^31 of them). */
PEN_CHECKED pen_status pen_reach_want(pen_reach *reach, pen_gid gid, pen_lid *place);

/* Collective, outside phases; `fields` is the same on all ranks. Read the current records of what was wanted
 * into reach->records. One all-reduce where nobody wants anything. Each rank passes its status so far; after
 * a failure, the same everywhere, nothing has been read. Errors: PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_reach_read(pen_halo *halo, pen_reach *reach, pen_status mine, uint64_t fields);

/* Local, after pen_reach_read. Does a node have the gid of that place? */
static inline bool pen_reach_found(const pen_reach *reach, pen_lid place)
{
    return reach->nodes[reach->wanted[place]].owner >= 0;
}
