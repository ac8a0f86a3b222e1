/* change.h - from one version of a store's nodes to the next: nodes move to other ranks, come into being, go, and get
 * other rows. In three acts: prepare (allocate and exchange everything), agree, commit (copy and swap, which cannot
 * fail). If any rank cannot prepare, nothing has changed anywhere.
 *
 * Moves: the old owner tells every rank that shadows a moving node, and ships row and state straight to the new owner,
 * with the owners that the node's neighbours will have: nothing is looked up. Requests: the homes of the directory
 * settle which nodes go and come, and where; owners of both ends get the half of each edge, and make new rows of them,
 * which come to the placing as the rows of arriving nodes do. A node that gets another row keeps its slot's place; its
 * records, and those of new nodes, are copied from where they are. */
#pragma once

#include "store/place.h"
#include "store/requests.h"
#include <penumbra_plugin.h>

/* What changed, as far as this rank's nodes are concerned: summed over ranks, of the whole graph. */
typedef struct pen_change_counts {
    int64_t added, removed;           /* nodes; one that is removed and added counts twice */
    int64_t arcs_added, arcs_removed; /* of an undirected graph two for an edge */
} pen_change_counts;

typedef struct pen_change {
    pen_store *before;   /* not owned */
    pen_store *after;    /* owned until commit; has no window and no directory yet */
    int32_t *owner;      /* [slots before] as they will be, PEN_OWNER_UNKNOWN of nodes that go; a block of `after` */
    bool rewired;        /* requests, not moves */
    bool unplaced;       /* rewired: nodes come without coordinates, so that no node will have any */
    unsigned char *died; /* rewired: [slots before] the node goes, though its gid may come again; else NULL */
    pen_lid *leaving;    /* [left] slots before of nodes that this rank will not have, ascending */
    pen_lid left;
    const double *places; /* [slots before * dimensions after] where nodes are; NULL: they will have no coordinates */
    double *made;         /* the places of a grid that has changed, or NULL */
    pen_row_format format;
    pen_rows arriving;
    pen_lid *origin; /* rewired: [arriving.count] the slot before of a node that has another row, or of the one which
                      * asked for a new node, -1: none */
    pen_newborn **newborns; /* rewired: [arriving.count] with the first records, which are not ours; or NULL */
    pen_placing placing;
    int64_t bytes; /* shipped for nodes that move away */
    pen_change_counts counts;
} pen_change;

/* Collective; every rank passes its own nodes' moves (each node once; a move to this rank itself is
 * none), possibly none, and its status so far. PEN_ERR_ARGUMENT: a gid that is not this rank's, a node
 * twice, a rank out of range; PEN_ERR_MEMORY, PEN_ERR_MPI. On failure *change is empty and nothing
 * has changed; so where no rank moves anything, which costs no more than to agree on it. */
PEN_CHECKED pen_status pen_change_moves(pen_store *store, pen_status mine, int64_t count, const pen_move *moves,
                                        pen_change *change);

/* Collective; every rank passes what was asked for there (pen_changes_settle has been called, and all ranks have agreed
 * whether nodes and edges weigh), and its status so far. The records of nodes that stay are the current planes'; those
 * of new ones are read from `changes` by pen_change_commit.
 * PEN_ERR_ARGUMENT: what is asked for cannot be (pen_modify_fn); PEN_ERR_MEMORY, PEN_ERR_MPI, PEN_ERR_UNSUPPORTED (too
 * many nodes, shadows or arcs on a rank). On failure *change is empty and nothing has changed.
 */
PEN_CHECKED pen_status pen_change_requests(pen_store *store, pen_status mine, const pen_changes *changes,
                                           pen_change *change);

/* Collective, the last thing that can fail, when change->after has its window: the directory learns
 * new owners. On failure the change is still to be undone. */
PEN_CHECKED pen_status pen_change_announce(pen_change *change);

/* Local, never fails. Copy the current records of all fields that are not transient to the next planes of
 * change->after, and make it the owner of directory and slots. The caller pulls the shadows, makes the next planes
 * current, and destroys the store before. */
void pen_change_commit(pen_change *change);

/* Local. Forget a prepared change. change->after must have no window any more. */
void pen_change_undo(pen_change *change);

/* Local. What is told of a node that arrives. */
pen_row_format pen_change_format(const pen_store *store);

/* Local, of prepared requests. The slot before of the node in that slot after, or, of a new node, of the one which
 * asked for it; -1: none did. */
pen_lid pen_change_origin(const pen_change *change, pen_lid slot);

/* ---- The acts that both kinds share ---------------------------------------------------------- */

/* Local. An empty store after, and who owns what now. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_change_begin(pen_change *change);

/* Local. This rank's node in that slot will have another owner; `leaving` must have room for it. */
void pen_change_leaves(pen_change *change, pen_lid slot, int32_t owner);

/* Collective. Tell the ranks that shadow this rank's nodes what becomes of them, and hear the same. */
PEN_CHECKED pen_status pen_change_send_updates(pen_change *change, pen_status status);

/* Local. Write what a record says of the node itself, in that slot before: weight, coordinates, readers, and its
 * current records. Gid and degree are there. */
void pen_change_pack_node(const pen_change *change, pen_lid slot, int64_t *record);

/* Collective. Slots for all, when rows have arrived. */
PEN_CHECKED pen_status pen_change_place(pen_change *change);
