/* ordering.h - in which order interior nodes lie: as they are numbered, or so that neighbours are near each other.
 *
 * Boundary nodes are few, lie first, and stay ascending by gid among those that the same ranks want: what is pulled,
 * and what algorithms see of a store, does not depend on the order. Nor do the columns' order, and so any result. All
 * Local: each rank chooses for itself. */
#pragma once

#include "store/placing.h"

/* A node that becomes interior, and after whose place it comes. */
typedef struct pen_newcomer {
    pen_gid gid; /* first: by which they are sorted */
    pen_node_id id;
    pen_lid anchor; /* -1: none */
} pen_newcomer;

/* "auto", "natural", "rcm" or "hilbert"; NULL: auto. PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_ordering_read(const char *text, pen_order *order);
const char *pen_ordering_name(pen_order order);

/* Choose the order of the first nodes, whose ids are their places by gid: p->sequence becomes the ids as they shall
 * follow each other, NULL where that is ascending. What was found stands in p->store->ordering. PEN_ERR_MEMORY,
 * PEN_ERR_UNSUPPORTED (the curve is asked for, and nodes have no places). */
PEN_CHECKED pen_status pen_ordering_first(pen_placing *p);

/* Choose the order of the old store's nodes anew: p->sequence becomes the slots as they shall follow each other, NULL
 * where that is as they do. Errors: as above. */
PEN_CHECKED pen_status pen_ordering_renew(pen_placing *p);

/* Nodes have no places any more: if the curve was asked for, from now on the best of the others is. */
void pen_ordering_without_places(pen_ordering *ordering);

/* Where newcomers belong that a migration brings to an order that is not the natural one: behind the neighbour that
 * lies first among those that stay interior, or where a neighbour belongs that comes along. Sorts them by anchor and
 * gid, those without one last. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_ordering_anchor(pen_placing *p, pen_newcomer *newcomers, int64_t count);

/* Note what a migration has brought; after many newcomers the store is measured again, and ordered by the next
 * migration where it has become worse. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_ordering_follow(pen_store *store, int64_t newcomers);

/* A store's own nodes in the natural order: boundary slots as they are, then interior ones ascending by gid. slots is
 * [owned]. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_ordering_natural(const pen_store *store, pen_lid *slots);

/* All of its own nodes ascending by gid; slots is [owned]. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_ordering_by_gid(const pen_store *store, pen_lid *slots);
