/* change.h - the step from one version of a store's nodes to the next: nodes move to other ranks, are added, are
 * removed, and get other rows. It has three phases: prepare (allocate and exchange everything), agree, commit (copy and
 * swap, which cannot fail). If some rank cannot prepare, no rank changes anything.
 *
 * Moves: the old owner informs each rank that shadows a moving node. It sends row and state directly to the new
 * owner, with the future owners of the node's neighbours, so that no look-up is needed. Requests: the homes of the
 * directory decide which nodes are removed and added, and on which rank. The owners of the two ends of an edge
 * receive half-edge updates (half_edges.h) and make new rows, which are placed like the rows of arriving nodes. A
 * node that gets another row keeps its place in the order; its records, and those of new nodes, are copied within
 * the rank. */
#pragma once

#include "store/place.h"
#include "store/requests.h"
#include <penumbra_plugin.h>

/* The changes of this rank's nodes. The sums over all ranks are the changes of the graph. */
typedef struct pen_change_counts {
    int64_t added, removed; /* nodes added and removed; a node that is removed and added again counts in both */
    int64_t arcs_added, arcs_removed; /* arcs added and removed; an undirected edge counts as two */
} pen_change_counts;

typedef struct pen_change {
    pen_store *before; /* the present version, not owned */
    pen_store *after;  /* the next version, owned until commit; it has no window and no directory yet */
    int32_t *owner; /* [slots before] future owners of nodes, PEN_OWNER_UNKNOWN for removed nodes; a block of `after` */
    bool rewired;   /* the change comes from requests, not from moves */
    bool unplaced;  /* if rewired: some node is added without coordinates, so no node will have coordinates */
    unsigned char *died; /* [slots before] if rewired: the node is removed, even if its gid is added again; else NULL */
    pen_lid *leaving;    /* [left] slots before of the nodes that leave this rank, ascending */
    pen_lid left;
    const double *places; /* [slots before * dimensions after] coordinates of the nodes; NULL: they will have none */
    double *made;         /* coordinates computed from a grid that has changed, or NULL */
    pen_row_format format;
    pen_rows arriving;
    /* [arriving.count] if rewired: the old slot of the node whose row is replaced, or of the node that requested a new
     * one; -1: none. */
    pen_lid *origin;
    pen_new_node **newborns; /* [arriving.count] if rewired: new nodes with their first records, not owned; or NULL */
    pen_placing placing;
    int64_t bytes; /* bytes shipped for nodes that move away */
    pen_change_counts counts;
} pen_change;

/* Collective. Prepare moves. Each rank passes the moves of its own nodes, each node once, and its status so far; a
 * move to the rank itself is ignored. PEN_ERR_ARGUMENT: a gid that is not this rank's, a node twice, a rank out of
 * range; PEN_ERR_MEMORY, PEN_ERR_MPI. On failure *change is empty and nothing has changed. The same holds if no rank
 * moves a node; that costs one agreement. */
PEN_CHECKED pen_status pen_change_moves(pen_store *store, pen_status mine, int64_t count, const pen_move *moves,
                                        pen_change *change);

/* Collective. Prepare requests. Each rank passes its requests and its status so far. Before, pen_changes_settle has
 * been called, and all ranks have agreed on whether nodes and edges have weights. The records of nodes that stay
 * come from the current planes; pen_change_commit reads those of new nodes from `changes`. PEN_ERR_ARGUMENT: a
 * request is not valid (pen_modify_fn); PEN_ERR_MEMORY, PEN_ERR_MPI, PEN_ERR_UNSUPPORTED (too many nodes, shadows or
 * arcs on a rank). On failure *change is empty and nothing has changed. */
PEN_CHECKED pen_status pen_change_requests(pen_store *store, pen_status mine, const pen_changes *changes,
                                           pen_change *change);

/* Collective, after change->after has its window. The directory learns the new owners. This is the last call that
 * can fail; after a failure the caller undoes the change. */
PEN_CHECKED pen_status pen_change_announce(pen_change *change);

/* Local, never fails, before pen_change_commit. Give the nodes of change->after their values (pen_node_values). */
void pen_change_carry(pen_change *change);

/* Local, never fails. Copy the current records of all fields that are not transient to the next planes of
 * change->after, and make it the owner of directory and slots. The caller pulls the shadows, makes the next planes
 * current, and destroys the store before. */
void pen_change_commit(pen_change *change);

/* Local. Forget a prepared change. change->after must have no window any more. */
void pen_change_undo(pen_change *change);

/* Local. The format of the row of a node that arrives. */
pen_row_format pen_change_format(const pen_store *store);

/* Local, after preparing requests. The old slot of the node in a new slot or, for a new node, the old slot of the
 * node that requested it; -1: none. */
pen_lid pen_change_origin(const pen_change *change, pen_lid slot);

/* ---- Steps of both kinds of changes --------------------------------------------------------- */

/* Local. Make the empty store `after`, and note the present owners. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_change_begin(pen_change *change);

/* Local. Note that the node in a slot of this rank moves to another owner; `leaving` must have room for it. */
void pen_change_leaves(pen_change *change, pen_lid slot, int32_t owner);

/* Collective. Send updates of this rank's nodes to the ranks that shadow them, and receive those of its shadows. */
PEN_CHECKED pen_status pen_change_send_updates(pen_change *change, pen_status status);

/* Local. Pack the node in an old slot into a record: weight, coordinates, readers, and its current records. Gid and
 * degree are already in the record. */
void pen_change_pack_node(const pen_change *change, pen_lid slot, int64_t *record);

/* Collective, after rows have arrived. Give slots to all nodes. */
PEN_CHECKED pen_status pen_change_place(pen_change *change);
