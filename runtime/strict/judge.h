/* judge.h - the judgement of single nodes in the strict mode: a node is computed in two worlds (replicas.h) that differ
 * in all that must not matter. Where the outcomes differ, more tries find out why. */
#ifndef PEN_JUDGE_H
#define PEN_JUDGE_H

#include "strict/replicas.h"

typedef struct pen_judge {
    pen_replicas worlds;
    pen_outcome plain, other; /* in the first world, and in another one */
    unsigned char *unwritten; /* a row: bits that the node has not written */
    char where[128];          /* what is being called, as "phase add" or ".print" */
    bool reader;              /* that is no phase, and writes nothing */
    pen_gid found;            /* the lowest gid of a node that makes a mistake; INT64_MAX: none */
    char text[512];
    pen_status status; /* of this rank so far */
} pen_judge;

/* Local. PEN_ERR_MEMORY; pen_judge_free also after a failure. */
PEN_CHECKED pen_status pen_judge_create(pen_run *run, pen_judge *judge);
void pen_judge_free(pen_judge *judge);

/* Local, between pen_guard_begin and pen_guard_end. Try a node in both worlds, and tell its mistake. `writes`: the
 * fields that it may write. False: the call did not return, and there is no outcome; else judge->plain has it, and
 * judge->unwritten which bits of it were not written. */
bool pen_judge_node(pen_judge *judge, pen_lid slot, pen_voice *voice, uint64_t writes);

/* Local. Somebody gets a node's current record of a field, bytes first..end of it, by the way that `way` names;
 * `unwritten` has the bits of the whole record that were not written. Tell it as a mistake if none of these bytes was
 * written; or, with `all`, if some bit was not. */
void pen_judge_delivery(pen_judge *judge, pen_gid gid, const pen_gap *gap, const unsigned char *unwritten,
                        const char *way, bool all);

/* Local. The sentence of the mistake that was told, NULL: none; then it is forgotten. */
const char *pen_judge_take(pen_judge *judge);

/* Collective. PEN_ERR_CHECK: a mistake was told; the message is that of the node with the lowest gid. PEN_ERR_MEMORY,
 * PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_judge_end(pen_judge *judge);

#endif
