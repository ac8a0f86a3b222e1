/* replicas.h - two replicas in which a node can be computed. What the node may see is the same in both. What it must
 * not see is a pattern in one, and the complement of that pattern in the other. A function that only compares such
 * data with a value can do the same with both. So the second replica can also show a node real records instead
 * (pen_replicas_reveal).
 *
 * Patterns fill next records before they are written; records of neighbours and far nodes of fields that the phase
 * does not name; the next planes of fields that the phase does not write; scratch memory; and the bits of records that
 * nodes have not written (strict.h). Slots and arcs can have other numbers (traps.h). The run's own planes are not
 * touched: nodes see copies. */
#pragma once

#include "run/far.h"
#include "strict/traps.h"

/* Memory for the records of all fields, each field aligned for any type. */
typedef struct pen_planes {
    pen_guarded guarded;
    unsigned char **of; /* [fields] */
} pen_planes;

/* Owned nodes whose records of a field differ, in bits that only some nodes have written: they have written these. */
enum { PEN_MOST_DONORS = 4 };
typedef struct pen_donors {
    bool gaps; /* some known node has not written some bits */
    int count;
    pen_lid slots[PEN_MOST_DONORS]; /* [count] */
} pen_donors;

typedef struct pen_replicas {
    pen_run *run;
    int64_t *at; /* [fields+1] where a field's record begins in a row of the records of all fields */
    unsigned char patterns[2];
    bool none_yet;                                  /* there are no current records: the phase is init */
    uint64_t reads;                                 /* fields of neighbours that a node may see */
    uint64_t far_reads;                             /* the same of far nodes */
    pen_planes seen[2], next[2], far[2], intact[2]; /* intact: a copy of `seen` */
    unsigned char *blank[2];                        /* a row filled with the pattern */
    pen_donors *donors;                             /* [fields] */
    int64_t made;                                   /* how often replicas were made */
    bool revealed;                                  /* the second replica has real records for one node, */
    const unsigned char *stand_in; /* in place of unwritten bits those of this row; NULL: as they are stored */
    unsigned char *real;           /* a row: real records of the node itself, or of donors */
    pen_lid *far_slots; /* for requests: after all known places, every second place; the places between reveal reads
                           beyond a record */
    pen_far far_view;   /* without records; zero in a phase without .far */
    const void **far_records; /* [fields] of the view */
    pen_traps traps;
    pen_lid room;         /* nodes and shadows that the planes have room for */
    const void **current; /* [fields] of the view */
    void **written;       /* [fields] of the view */
    unsigned char *own;   /* a row: the node's own records as it sees them */
    unsigned char *kept;  /* a row: what was in the node's place before */
    unsigned char *mixed; /* a record: bits that only some nodes have written */
} pen_replicas;

/* A range of bytes of one record that a node sees. */
typedef struct pen_gap {
    int field;
    pen_lid slot; /* whose record; or */
    int64_t wish; /* the place of a far node's record among all requests; else -1 */
    int64_t first, end;
} pen_gap;

/* The records that have the second pattern, by field. All others have the first one. */
typedef struct pen_choice {
    uint64_t next;      /* the next records */
    uint64_t neighbors; /* neighbours' records: what must not be seen of them */
    uint64_t own;       /* the same of the own ones */
    uint64_t far;       /* and of far nodes', with the bits of these records that were not written */
    bool scratch;
    bool numbers;       /* of slots and arcs: the other ones */
    const pen_gap *gap; /* the unwritten bits there; NULL: of none */
} pen_choice;

/* The outcome of computing a node. */
typedef struct pen_outcome {
    unsigned char *next;  /* a row: the next records */
    unsigned char *edges; /* its arcs' records after the call, edge field by edge field; `words` includes them */
    pen_wishes words;     /* all other output */
    const char *damage;   /* a description of what it changed without permission; NULL: nothing */
    int damaged;          /* the field */
    int signal;           /* the signal that ended the call; 0: the call returned */
    char fault[256];      /* a description of the fault, such as "field sum: ..."; empty: unknown */
} pen_outcome;

/* A call for a node: computes its next records, or outputs words (pen_want). */
typedef void pen_call(pen_replicas *replicas, const pen_view *v, pen_wishes *words);

/* Local. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replicas_create(pen_run *run, pen_replicas *replicas);
void pen_replicas_free(pen_replicas *replicas);

/* Local. Make the replicas of the current planes, as a phase that reads these fields sees them. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replicas_make(pen_replicas *replicas, uint64_t reads, bool none_yet);

/* Local. Add the far nodes that run->view.far knows. PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED. */
PEN_CHECKED pen_status pen_replicas_add_far(pen_replicas *replicas, uint64_t far_reads);

/* Local. The unwritten bits of the record of a node or shadow, or of the far node of a wish. NULL: there is no such
 * node. */
const unsigned char *pen_replicas_unwritten(const pen_replicas *replicas, int field, pen_lid slot, int64_t wish);

/* Local. */
PEN_CHECKED pen_status pen_outcome_create(const pen_replicas *replicas, pen_outcome *outcome);
void pen_outcome_free(pen_outcome *outcome);

/* Local. Swap the records of a node's arcs with those at `edges`. */
void pen_replicas_swap_edges(const pen_replicas *replicas, pen_lid slot, unsigned char *edges);

/* Local. From now on the second replica shows the node real records: in place of what it must not see those of its
 * neighbours, as far as this rank has them, and its own otherwise; its own current records as the next ones; unwritten
 * bits as they were before. Attempts 1 and 2 show in place of unwritten bits, and as next records of these fields,
 * those of a neighbour and of a donor. False: nothing has changed, since there is no such attempt. */
bool pen_replicas_reveal(pen_replicas *replicas, pen_lid slot, int attempt);

/* Local. The second replica shows the node the pattern again. */
void pen_replicas_conceal(pen_replicas *replicas, pen_lid slot);

/* Local, between pen_guard_begin and pen_guard_end. Call a node's function in the replica that `choice` describes.
 * Changes to the records of its arcs are undone. */
void pen_replicas_try(pen_replicas *replicas, pen_lid slot, pen_call *call, const pen_choice *choice,
                      pen_outcome *outcome);
