/* ordering.h - the order of interior nodes in memory: by their numbers, or so that neighbours are near each other.
 *
 * Boundary nodes are few and come first. Nodes that the same ranks read are ascending by gid. So neither the pulls
 * nor the view of algorithms depends on the order; nor does the order of columns, and therefore no result. All
 * Local: each rank chooses its own order. */
#pragma once

#include "store/placing.h"

/* A node that becomes interior, and the node after which it is placed. */
typedef struct pen_newcomer {
    pen_gid gid; /* the node's gid; the first member, because it is the sort key */
    pen_node_id id;
    pen_lid anchor; /* slot of the node that it follows; -1: none */
} pen_newcomer;

/* "auto", "natural", "rcm" or "hilbert". */
const char *pen_ordering_name(pen_order order);

/* Choose the order of the first nodes, whose ids are their ranks by gid: p->sequence becomes the ids in the new
 * order, NULL if that is ascending. The measurements are in p->store->ordering. PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED
 * (the curve is requested, and nodes have no places). */
PEN_CHECKED pen_status pen_ordering_first(pen_placing *p);

/* Choose the order of the old store's nodes again: p->sequence becomes the slots in the new order, NULL if the order
 * does not change. Errors: as above. */
PEN_CHECKED pen_status pen_ordering_renew(pen_placing *p);

/* Nodes have lost their places. If the curve was requested, the best of the other orders replaces it. */
void pen_ordering_without_places(pen_ordering *ordering);

/* Find the places of newcomers in an order that is not the natural one: a newcomer follows the first of its
 * neighbours that stay interior, or else goes where a neighbour goes that arrives with it. Sorts the newcomers by
 * anchor and gid, those without an anchor last. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_ordering_anchor(pen_placing *p, pen_newcomer *newcomers, int64_t count);

/* Count the newcomers of a migration. After many newcomers the order is measured again; if it has become worse, the
 * next migration chooses an order. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_ordering_follow(pen_store *store, int64_t newcomers);

/* The owned nodes in the natural order: boundary slots first, then interior nodes ascending by gid. slots is
 * [owned]. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_ordering_natural(const pen_store *store, pen_lid *slots);

/* All owned nodes ascending by gid; slots is [owned]. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_ordering_by_gid(const pen_store *store, pen_lid *slots);
