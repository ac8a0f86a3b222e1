/* replicas.h - two replicas in which a node can be computed. The data that the node may see is the same in both. The
 * data that it must not see is a pattern in one, and the complement of that pattern in the other. A function that only
 * compares such data with a value can return the same in both. So the second replica can also show a node real records
 * instead (pen_replicas_reveal).
 *
 * Patterns fill next records before they are written; records of neighbours and far nodes of fields that the phase does
 * not name; the next planes of fields that the phase does not write; scratch memory; and the bits of records that nodes
 * have not written (strict.h). Slots and arcs can have other numbers (traps.h). The run's own planes are not touched:
 * nodes see copies. */
#pragma once

#include "run/far.h"
#include "strict/traps.h"

/* Memory for the records of all fields, each field aligned for any type. */
typedef struct pen_planes {
    pen_guarded guarded;
    unsigned char **of; /* [fields] beginning of each field's records */
} pen_planes;

/* Donors: owned nodes that have written the bits of a field that other nodes have not, with different values. */
enum { PEN_MOST_DONORS = 4 };
typedef struct pen_donors {
    bool gaps; /* some known node has not written some bits */
    int count;
    pen_lid slots[PEN_MOST_DONORS]; /* [count] slots of the donors */
} pen_donors;

typedef struct pen_replicas {
    pen_run *run;
    int64_t *at; /* [fields+1] offset of each field in a row. A row has the records of all fields of one node. */
    unsigned char patterns[2];
    bool none_yet;                                  /* there are no current records: the phase is init */
    uint64_t reads;                                 /* bit set of the fields of neighbours that a node may see */
    uint64_t far_reads;                             /* bit set of the fields of far nodes that a node may see */
    pen_planes seen[2], next[2], far[2], intact[2]; /* planes of the two replicas; `intact` is a copy of `seen` */
    unsigned char *blank[2];                        /* rows filled with the replica's pattern */
    pen_donors *donors;                             /* [fields] donors of each field */
    int64_t made;                                   /* number of times that replicas were made */
    bool revealed;                                  /* the second replica has real records for one node */
    /* The row that replaces unwritten bits if revealed; NULL: they are shown as stored. */
    const unsigned char *stand_in;
    unsigned char *real; /* a row of real records, of the node itself or of donors */
    /* Slots of requested far nodes: every second place after all known places. An access to a place in between reveals
     * a read beyond a record. */
    pen_lid *far_slots;
    pen_far far_view;         /* the far nodes of the view, without records; zero in a phase without .far */
    const void **far_records; /* [fields] pointers for the view */
    pen_traps traps;
    pen_lid room;         /* number of nodes and shadows for which the planes have room */
    const void **current; /* [fields] pointers for the view */
    void **written;       /* [fields] pointers for the view */
    unsigned char *own;   /* a row of the node's own records as it sees them */
    unsigned char *kept;  /* a row that keeps the data which the node's own records replace */
    unsigned char *mixed; /* a record that marks the bits which only some nodes have written */
} pen_replicas;

/* A range of bytes of one record that a node sees. */
typedef struct pen_gap {
    int field;
    pen_lid slot; /* slot of the node that has the record, if `wish` is -1 */
    int64_t wish; /* index of the far node among all requests; -1: the node is not a far node */
    int64_t first, end;
} pen_gap;

/* Bit sets of the fields whose records have the second pattern in a call. All others have the first one. */
typedef struct pen_choice {
    uint64_t next;      /* bits of fields: the next records have the second pattern */
    uint64_t neighbors; /* bits of fields: forbidden data of neighbours has the second pattern */
    uint64_t own;       /* forbidden data in the node's own records */
    /* Bits of fields: forbidden data of far nodes, and the unwritten bits of their records, have the second pattern. */
    uint64_t far;
    bool scratch;
    bool numbers;       /* slots and arcs have the other numbers */
    const pen_gap *gap; /* unwritten bits in this range have the second pattern; NULL: none */
} pen_choice;

/* The outcome of computing a node. */
typedef struct pen_outcome {
    unsigned char *next; /* the next records, as a row */
    /* Records of the node's arcs after the call, edge field by edge field; `words` includes them. */
    unsigned char *edges;
    pen_requests words; /* output of the call other than records, as words */
    int64_t said;       /* number of words that the call itself output; a hash of `edges` follows them */
    const char *damage; /* description of a change that the node made without permission; NULL: it made none */
    int damaged;        /* the field whose record was changed without permission */
    bool restless;      /* the node has asked for a value that can change although no record does */
    int signal;         /* signal that ended the call; 0: the call returned */
    char fault[256];    /* description of the fault, such as "field sum: ..."; empty: unknown */
} pen_outcome;

/* A call for a node, which computes its next records or outputs words (pen_request). */
typedef void pen_call(pen_replicas *replicas, const pen_view *v, pen_requests *words);

/* Local. Allocate the replicas. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replicas_create(pen_run *run, pen_replicas *replicas);
void pen_replicas_free(pen_replicas *replicas);

/* Local. Make the replicas of the current planes, as a phase that reads these fields sees them. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replicas_make(pen_replicas *replicas, uint64_t reads, bool none_yet);

/* Local. Add the far nodes that run->view.far knows. PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED. */
PEN_CHECKED pen_status pen_replicas_add_far(pen_replicas *replicas, uint64_t far_reads);

/* Local. Marks the unwritten bits of the record of a node or shadow, or of a requested far node. NULL: the node does
 * not exist. */
const unsigned char *pen_replicas_unwritten(const pen_replicas *replicas, int field, pen_lid slot, int64_t wish);

/* Local. Allocate an outcome. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_outcome_create(const pen_replicas *replicas, pen_outcome *outcome);
void pen_outcome_free(pen_outcome *outcome);

/* Local. Swap the records of a node's arcs with those at `edges`. */
void pen_replicas_swap_edges(const pen_replicas *replicas, pen_lid slot, unsigned char *edges);

/* Local. From now on the second replica shows the node real records: in place of forbidden data, the records of its
 * neighbours, if this rank has them, and otherwise its own; its own current records as the next ones; unwritten bits as
 * they were before. Attempts 1 and 2 replace unwritten bits, and next records of these fields, by those of a neighbour
 * and of a donor. False: there is no such attempt, and nothing has changed. */
bool pen_replicas_reveal(pen_replicas *replicas, pen_lid slot, int attempt);

/* Local. The second replica shows the node the pattern again. */
void pen_replicas_conceal(pen_replicas *replicas, pen_lid slot);

/* Local, between pen_guard_begin and pen_guard_end. Call a node's function in the replica that `choice` describes.
 * Changes to the records of its arcs are undone. */
void pen_replicas_try(pen_replicas *replicas, pen_lid slot, pen_call *call, const pen_choice *choice,
                      pen_outcome *outcome);
