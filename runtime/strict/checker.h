/* checker.h - the judgement of single nodes in the strict mode: a node is computed in two replicas (replicas.h) that
 * differ in all that must not matter. Where the outcomes differ, more tries find out why. */
#ifndef PEN_CHECKER_H
#define PEN_CHECKER_H

#include "strict/replicas.h"

typedef struct pen_checker {
    pen_replicas replicas;
    pen_outcome plain, other; /* in the first replica, and in another one */
    unsigned char *unwritten; /* a row: bits that the node has not written */
    char where[128];          /* what is being called, as "phase add" or ".print" */
    bool reader;              /* that is no phase, and writes nothing */
    pen_gid found;            /* the lowest gid of a node that makes a mistake; INT64_MAX: none */
    char text[512];
    pen_status status; /* of this rank so far */
} pen_checker;

/* Local. PEN_ERR_MEMORY; pen_checker_free also after a failure. */
PEN_CHECKED pen_status pen_checker_create(pen_run *run, pen_checker *checker);
void pen_checker_free(pen_checker *checker);

/* Local, between pen_guard_begin and pen_guard_end. Try a node in both replicas, and tell its mistake. `writes`: the
 * fields that it may write. False: the call did not return, and there is no outcome; else checker->plain has it, and
 * checker->unwritten which bits of it were not written. */
bool pen_checker_node(pen_checker *checker, pen_lid slot, pen_call *call, uint64_t writes);

/* Local. Somebody gets a node's current record of a field, bytes first..end of it, by the way that `way` names;
 * `unwritten` has the bits of the whole record that were not written. Tell it as a mistake if none of these bytes was
 * written; or, with `all`, if some bit was not. */
void pen_checker_delivery(pen_checker *checker, pen_gid gid, const pen_gap *gap, const unsigned char *unwritten,
                          const char *way, bool all);

/* Local. The sentence of the mistake that was told, NULL: none; then it is forgotten. */
const char *pen_checker_take(pen_checker *checker);

/* Collective. PEN_ERR_CHECK: a mistake was told; the message is that of the node with the lowest gid. PEN_ERR_MEMORY,
 * PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_checker_end(pen_checker *checker);

#endif
