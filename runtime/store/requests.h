/* requests.h - the changes of the graph that the nodes of a rank request (pen_modify_fn).
 *
 * Each gid in a request is a subject, once. Requests refer to subjects by their numbers. All functions are Local. */
#pragma once

#include "base/key_table.h"
#include "base/memory.h"

enum { PEN_NOBODY_ASKS = -1 };

/* A gid that some request names. */
typedef struct pen_subject {
    pen_gid gid; /* the gid; the first member, because it is the key */
    bool removed;
    pen_gid remover;     /* the lowest gid among the nodes that remove this one */
    pen_new_node *first; /* the new node that was requested here by the node with the lowest gid; NULL: none */
} pen_subject;

/* A node that is being added. Its first records follow in memory. */
struct pen_new_node {
    pen_changes *changes;
    pen_new_node *previous; /* the new node that was requested before this one */
    uint32_t subject;
    pen_lid adder; /* slot of the node that requests this one, or PEN_NOBODY_ASKS */
    pen_gid by;    /* gid of the requesting node; the rank's number if the program requested it */
    int64_t weight;
    int dimensions; /* dimensions of its coordinates, equal to those of the graph; 0: it has none */
    double at[3];
};

/* Weight 0: the edge is to be removed. */
typedef struct pen_edge_request {
    uint32_t from, to; /* numbers of the two subjects that are the edge's ends */
    int64_t weight;
    pen_gid by; /* the requesting node, as in pen_new_node */
} pen_edge_request;

typedef struct pen_weight_request {
    uint32_t subject;
    int64_t weight;
    pen_gid by;
} pen_weight_request;

struct pen_changes {
    int field_count;
    /* [field_count+1] offsets of the fields' records in a new node's memory, aligned for any type, and their total
     * size. */
    int64_t *offsets;
    pen_lid adder; /* the requesting node, as in pen_new_node */
    pen_gid by;
    pen_subject *subjects; /* [subject_count] all gids that requests name */
    pen_key_table table;   /* table that finds a subject by its gid */
    int64_t subject_count, subject_room;
    pen_new_node *newest;
    struct pen_cradle *cradle;   /* memory of the new nodes */
    pen_edge_request *edges;     /* [edge_count] requests about edges */
    pen_weight_request *weights; /* [weight_count] requests to set node weights */
    int64_t edge_count, edge_room, weight_count, weight_room;
    bool weighs_nodes, weighs_edges; /* some weight is not 1: on this rank; after the agreement, on any rank */
    int dimensions;                  /* dimensions of the nodes' places; 0: nodes have no places */
    /* Number of new nodes without coordinates on this rank; after the agreement, 1 if any rank has some. */
    int64_t unplaced;
    unsigned char *first;     /* the initial records of a new node; NULL: all zero */
    unsigned char *first_arc; /* the initial records of a new arc, all edge fields; NULL: all zero */
    pen_new_node *nowhere;    /* a dummy new node, returned when memory is exhausted */
    pen_status status;        /* status of the failed request of the node with the lowest gid; its message is set */
    pen_gid failed_by;        /* gid of the node whose request failed */
    char message[256];
};

/* Make an empty set of requests for nodes with these fields, [field_count]. The caller destroys it. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_changes_create(int field_count, const size_t *sizes, pen_changes **changes);
void pen_changes_destroy(pen_changes **changes);

/* Set the initial record of a field in new nodes: `size` bytes, in place of zeros. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_changes_begin_with(pen_changes *changes, int field, const void *record, size_t size);

/* Set the initial records of new arcs: `size` bytes at offset `at` among the records of an arc. These have all edge
 * fields without gaps, `edge_bytes` together. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_changes_begin_arcs_with(pen_changes *changes, size_t edge_bytes, size_t at,
                                                   const void *record, size_t size);

/* Forget all requests, and free their memory. */
void pen_changes_clear(pen_changes *changes);

/* Forget all requests, and set the dimensions of the nodes' places for the requests that follow; 0: none. */
void pen_changes_begin(pen_changes *changes, int dimensions);

/* Set the requesting node for the requests that follow: its slot and gid, or PEN_NOBODY_ASKS and this rank. */
static inline void pen_changes_by(pen_changes *changes, pen_lid slot, pen_gid gid)
{
    changes->adder = slot;
    changes->by = gid;
}

/* Whether there are requests. */
static inline bool pen_changes_any(const pen_changes *changes) { return changes->subject_count > 0; }

/* The first failure of a request, with its sentence. PEN_ERR_ARGUMENT, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_changes_status(const pen_changes *changes);

/* After the last request, give each subject its first new node. PEN_ERR_ARGUMENT: several requests for a node differ in
 * weight, coordinates or first records. */
PEN_CHECKED pen_status pen_changes_settle(pen_changes *changes);

/* A new node's record of a field. */
static inline unsigned char *pen_newborn_record(pen_new_node *newborn, int field)
{
    return (unsigned char *)newborn + newborn->changes->offsets[field];
}

/* Bytes of a new node's records, beginning with field 0, including the padding between them, which is zero. */
static inline int64_t pen_newborn_bytes(const pen_changes *changes)
{
    return changes->offsets[changes->field_count] - changes->offsets[0];
}
