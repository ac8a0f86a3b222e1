/* requests.h - what nodes ask to be changed in the graph (pen_modify_fn), gathered where they ask.
 *
 * Every gid that is spoken of is a subject, once; requests name subjects by their numbers. All functions are Local. */
#pragma once

#include "base/key_table.h"
#include "base/memory.h"

enum { PEN_NOBODY_ASKS = -1 };

/* A gid that is spoken of. */
typedef struct pen_subject {
    pen_gid gid; /* first: it is the key */
    bool removed;
    pen_gid remover;    /* of those who remove it, the lowest */
    pen_newborn *first; /* of those who add it here, that which the node with the lowest gid asked for; NULL: none */
} pen_subject;

/* A node that is being added; behind it are its first records. */
struct pen_newborn {
    pen_changes *changes;
    pen_newborn *previous; /* the one that was asked for before */
    uint32_t subject;
    pen_lid adder; /* slot of the node that asks, or PEN_NOBODY_ASKS */
    pen_gid by;    /* its gid; without one, this rank */
    int64_t weight;
    int dimensions; /* of its coordinates, those of the graph; 0: it has none */
    double at[3];
};

/* Weight 0: the edge is to be removed. */
typedef struct pen_edge_request {
    uint32_t from, to; /* subjects */
    int64_t weight;
    pen_gid by; /* as in a newborn */
} pen_edge_request;

typedef struct pen_weight_request {
    uint32_t subject;
    int64_t weight;
    pen_gid by;
} pen_weight_request;

struct pen_changes {
    int field_count;
    int64_t *offsets; /* [field_count+1] of the fields' records in a newborn, aligned for any type; and its size */
    pen_lid adder;    /* who asks, as in a newborn */
    pen_gid by;
    pen_subject *subjects; /* [subject_count] */
    pen_key_table table;   /* of the subjects */
    int64_t subject_count, subject_room;
    pen_newborn *newest;
    struct pen_cradle *cradle;   /* where newborns lie */
    pen_edge_request *edges;     /* [edge_count] */
    pen_weight_request *weights; /* [weight_count] */
    int64_t edge_count, edge_room, weight_count, weight_room;
    bool weighs_nodes, weighs_edges; /* some weight is not 1; here, until ranks have agreed */
    int dimensions;                  /* of the places that the graph's nodes have; 0: they have none */
    int64_t unplaced;         /* new nodes that get no coordinates; here, until ranks have agreed if there are any */
    unsigned char *first;     /* records that newborns begin with, as in one; NULL: all zero */
    unsigned char *first_arc; /* records of all edge fields that new arcs begin with; NULL: all zero */
    pen_newborn *nowhere;     /* what is handed out where memory is exhausted */
    pen_status status;        /* of the first request that failed, of the lowest node, with its sentence */
    pen_gid failed_by;        /* that node */
    char message[256];
};

/* For records of these fields, [field_count]. The caller destroys it. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_changes_create(int field_count, const size_t *sizes, pen_changes **changes);
void pen_changes_destroy(pen_changes **changes);

/* From now on newborns begin with that record of a field, `size` bytes of it, in place of zero. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_changes_begin_with(pen_changes *changes, int field, const void *record, size_t size);

/* The same of new arcs: `size` bytes, `at` bytes after the beginning of an arc's records of all edge fields, which
 * follow each other without gaps and take `edge_bytes`. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_changes_begin_arcs_with(pen_changes *changes, size_t edge_bytes, size_t at,
                                                   const void *record, size_t size);

/* Forget all requests, and free what they took. */
void pen_changes_clear(pen_changes *changes);

/* The same, and from now on requests are about a graph whose nodes have places of so many dimensions, or none. */
void pen_changes_begin(pen_changes *changes, int dimensions);

/* From now on this node asks: its slot and gid; or nobody, on this rank. */
static inline void pen_changes_by(pen_changes *changes, pen_lid slot, pen_gid gid)
{
    changes->adder = slot;
    changes->by = gid;
}

/* Whether anything was asked for. */
static inline bool pen_changes_any(const pen_changes *changes) { return changes->subject_count > 0; }

/* What came of asking: the first failure, with its sentence. PEN_ERR_ARGUMENT, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_changes_status(const pen_changes *changes);

/* When all have asked: each subject gets its first newborn. PEN_ERR_ARGUMENT: weights, coordinates or first records
 * differ. */
PEN_CHECKED pen_status pen_changes_settle(pen_changes *changes);

/* A newborn's record of a field. */
static inline unsigned char *pen_newborn_record(pen_newborn *newborn, int field)
{
    return (unsigned char *)newborn + newborn->changes->offsets[field];
}

/* Bytes of a newborn's records, with the padding between them, which is zero; they begin with field 0. */
static inline int64_t pen_newborn_bytes(const pen_changes *changes)
{
    return changes->offsets[changes->field_count] - changes->offsets[0];
}
