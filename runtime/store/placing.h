/* placing.h - the working data of giving slots to owned nodes and shadows. */
#pragma once

#include "store/store.h"

/* The part of the old store that a change keeps; all NULL or 0 at the start, when all nodes arrive. */
typedef struct pen_leftover {
    const pen_store *store;
    const int32_t *owner;   /* [slots of store] future owners of owned nodes and shadows */
    const pen_lid *leaving; /* [left] slots of the nodes that leave this rank, ascending */
    pen_lid left;
    bool rewired;         /* rows may belong to staying nodes, whose old rows they replace */
    const double *places; /* [slots of store * dimensions] coordinates of the nodes, if they will have any */
} pen_leftover;

/* The number of a node while slots are being given. An id below the number of old slots is that slot; higher ids are
 * nodes that this rank did not know. */
typedef int32_t pen_node_id;

typedef struct pen_placing {
    pen_store *store; /* the new store, which is being filled */
    pen_leftover old;
    /* Rows of arriving nodes, and replaced rows. If they lack the owners of neighbours, the directory is asked. The
     * gids of neighbours are overwritten with ids. */
    pen_rows *rows;
    pen_lid old_slots;
    pen_node_id *row_id; /* [rows->count] ids of the rows' nodes; NULL at the start, when row i belongs to node i */
    /* Nodes that were not known before. */
    pen_gid *fresh_gid;   /* [fresh] gids of the nodes that were not known before */
    int32_t *fresh_owner; /* [fresh] owners of the nodes that were not known before */
    int64_t fresh, fresh_room;
    /* By id: [old_slots + fresh]. */
    unsigned char *used; /* some node owned here reads the node */
    pen_lid *slot;       /* the new slot of the node, or -1 */
    /* Ids by new slot: [owned]. */
    pen_node_id *id;
    /* Rows by id minus row_first. */
    pen_node_id first_other; /* ids below this one belong to nodes that were owned here */
    pen_node_id row_first;   /* ids below this one have no rows: first_other, or 0 if rows are replaced */
    pen_lid replaced;        /* number of rows that belong to staying nodes */
    pen_lid *row_of;   /* [old_slots + fresh - row_first] index of the node's row in rows, or -1; NULL at the start */
    int64_t newcomers; /* number of interior nodes that were not interior here before */
    /* [ids of nodes owned before, at the start all] the new order; NULL: the order does not change. */
    pen_lid *sequence;
    bool kept;                   /* slots, boundary and shadows all stay as they are */
    pen_blocks wanted, asked;    /* gids of shadows, by producer; gids that consumers request */
    struct pen_wanted *boundary; /* [store->boundary] boundary nodes */
    int32_t *consumers;          /* consumers of the boundary nodes, node after node */
} pen_placing;

/* Local. The id of a node that is known here; -1: it is not. */
static inline pen_node_id pen_placing_find(const pen_placing *p, pen_gid gid)
{
    const uint64_t *found = pen_pages_find(p->store->slot_of, gid);
    return found ? (pen_node_id)*found : -1;
}

/* Local. Whether a node in an own slot of the old store was interior and stays so. It must not have a new slot yet. */
static inline bool pen_placing_stays_interior(const pen_placing *p, pen_lid slot)
{
    return slot >= p->old.store->boundary && p->old.owner[slot] == p->store->comm->rank && p->slot[slot] == -1;
}

/* Local. The index of a node's row among the rows. */
static inline pen_lid pen_placing_row_of(const pen_placing *p, pen_node_id id)
{
    return p->row_of ? p->row_of[id - p->row_first] : id;
}

/* Local. Whether there is such a row. If not, the node keeps its row, or another rank owns it. */
static inline bool pen_placing_has_row(const pen_placing *p, pen_node_id id)
{
    return id >= p->row_first && pen_placing_row_of(p, id) != -1;
}

/* Local. The row of an arriving node's new slot. */
static inline const int64_t *pen_placing_row(const pen_placing *p, pen_lid slot)
{
    return p->rows->records[pen_placing_row_of(p, p->id[slot])];
}
