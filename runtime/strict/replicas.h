/* replicas.h - two replicas in which a node can be computed: what it may see is the same in both, and what it must not
 * see is a pattern in the one and that pattern's complement in the other.
 *
 * Patterns stand in next records before they are written, in neighbours' and far nodes' records of fields that the
 * phase does not name, in what it is handed as next planes of fields that it does not write, in scratch memory, and
 * in those bits of records that nodes have not written (strict.h). Slots and arcs can have other numbers (traps.h).
 * Nothing here touches the run's own planes: nodes see copies. */
#ifndef PEN_REPLICAS_H
#define PEN_REPLICAS_H

#include "run/far.h"
#include "strict/traps.h"

/* Memory of the records of all fields, each field's aligned for any type. */
typedef struct pen_planes {
    pen_guarded guarded;
    unsigned char **of; /* [fields] */
} pen_planes;

typedef struct pen_replicas {
    pen_run *run;
    int64_t *at; /* [fields+1] where a field's record begins in a row of the records of all fields */
    unsigned char patterns[2];
    bool none_yet;                                  /* there are no current records: the phase is init */
    uint64_t reads;                                 /* what a node may see of neighbours, */
    uint64_t far_reads;                             /* and of far nodes */
    pen_planes seen[2], next[2], far[2], intact[2]; /* that one: what is seen, as it should stay */
    unsigned char *blank[2];                        /* rows of nothing but the pattern */
    pen_lid *far_slots;                             /* of the wishes: behind all that is known, every second place; the
                                                     * others show who reads more than a record */
    pen_far far_view;                               /* without records; zero in a phase without .far */
    const void **far_records;                       /* [fields] of the view */
    pen_traps traps;
    pen_lid room;         /* nodes and shadows that the planes have room for */
    const void **current; /* [fields] of the view */
    void **written;       /* [fields] of the view */
    unsigned char *own;   /* a row: the node's own records as it sees them */
    unsigned char *kept;  /* a row: what else stands there */
} pen_replicas;

/* Bytes of one record that a node sees. */
typedef struct pen_gap {
    int field;
    pen_lid slot; /* whose record; or */
    int64_t wish; /* the place of a far node's among all wishes; -1 */
    int64_t first, end;
} pen_gap;

/* What is the second pattern, of fields; all else is the first. */
typedef struct pen_choice {
    uint64_t next;      /* the next records */
    uint64_t neighbors; /* neighbours' records: what must not be seen of them */
    uint64_t own;       /* the same of the own ones */
    uint64_t far;       /* and of far nodes', with the bits of these records that were not written */
    bool scratch;
    bool numbers;       /* of slots and arcs: the other ones */
    const pen_gap *gap; /* the unwritten bits there; NULL: of none */
} pen_choice;

/* What a node made of it. */
typedef struct pen_outcome {
    unsigned char *next;  /* a row: the next records */
    unsigned char *edges; /* the records of its arcs as it left them, edge field by edge field; words tell them, too */
    pen_wishes words;     /* all else that it said */
    const char *damage;   /* what it changed and must not, in words; NULL: nothing */
    int damaged;          /* the field */
    int signal;           /* that has ended the call; 0: it has returned */
    char fault[256];      /* what that was, in words, as "field sum: ..."; empty: not known */
} pen_outcome;

/* Lets a node speak: computes its next records, or says words (pen_want). */
typedef void pen_call(pen_replicas *replicas, const pen_view *v, pen_wishes *words);

/* Local. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replicas_create(pen_run *run, pen_replicas *replicas);
void pen_replicas_free(pen_replicas *replicas);

/* Local. Make the replicas of the current planes, as a phase that reads those fields sees them. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replicas_make(pen_replicas *replicas, uint64_t reads, bool none_yet);

/* Local. Let them see the far nodes that run->view.far knows. PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED. */
PEN_CHECKED pen_status pen_replicas_add_far(pen_replicas *replicas, uint64_t far_reads);

/* Local. Bits of a node's or a shadow's record, or of the far node's of a wish, that were not written; NULL where there
 * is no such node. */
const unsigned char *pen_replicas_unwritten(const pen_replicas *replicas, int field, pen_lid slot, int64_t wish);

/* Local. */
PEN_CHECKED pen_status pen_outcome_create(const pen_replicas *replicas, pen_outcome *outcome);
void pen_outcome_free(pen_outcome *outcome);

/* Local. Exchange the records of a node's arcs for those at `edges`. */
void pen_replicas_swap_edges(const pen_replicas *replicas, pen_lid slot, unsigned char *edges);

/* Local, between pen_guard_begin and pen_guard_end. Let a node speak in the replica of that choice. What it does to
 * records of arcs is undone. */
void pen_replicas_try(pen_replicas *replicas, pen_lid slot, pen_call *call, const pen_choice *choice,
                      pen_outcome *outcome);

#endif
