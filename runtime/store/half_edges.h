/* half_edges.h - half-edge updates. An edge changes at both ends, and the owner of each end receives the half-edge at
 * its own node. */
#pragma once

#include "directory/tentative_update.h"
#include "store/change.h"

/* An update of one arc of a row, or of the weight of its node. */
typedef struct pen_half_edge {
    pen_gid row;
    pen_gid other; /* the node at the other end; for a weight of the node -1 */
    int64_t weight;
    int32_t owner; /* owner of the other node after the change, for kind ADD */
    enum { PEN_HALF_EDGE_WEIGHT, PEN_HALF_EDGE_REMOVE, PEN_HALF_EDGE_ADD } kind;
} pen_half_edge;

/* The updates of one row. */
typedef struct pen_half_edge_group {
    pen_gid row; /* the row's gid; the first member, because it is the sort key */
    int64_t first, count;
} pen_half_edge_group;

typedef struct pen_half_edges {
    pen_half_edge_group *groups; /* [group_count] the rows that change, ascending */
    int64_t group_count;
    /* [sum of counts] updates, group after group; within a group sorted by other node, kind and weight. */
    pen_half_edge *of;
} pen_half_edges;

/* Collective. Send the requested changes to the owners of the rows, and receive those of this rank's rows. outcomes[i]
 * is the outcome of subject i. Call pen_half_edges_free also after a failure. Errors, agreed on: PEN_ERR_ARGUMENT (an
 * edge of a node that does not exist, or removal of an edge whose node did not exist), PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_half_edges_exchange(const pen_change *change, const pen_changes *asked,
                                               const pen_node_outcome *outcomes, pen_half_edges *halves);
void pen_half_edges_free(pen_half_edges *halves);
