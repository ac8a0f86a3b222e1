/* checker.h - checks single nodes in the strict mode. It computes a node in two replicas (replicas.h), which differ
 * in everything that must not matter, and again with real records in place of what it must not see. Between the first
 * two computations it calls other nodes, none to two of them, so that static data change. If the outcomes differ,
 * further calls find the reason. */
#pragma once

#include "strict/replicas.h"

typedef struct pen_checker {
    pen_replicas replicas;
    pen_outcome plain, other; /* of the first replica, and of another one */
    pen_outcome unused;       /* of the calls in between */
    unsigned char *unwritten; /* a row: bits that the node has not written */
    bool revealed;            /* the other one has real records: unwritten bits are no difference */
    char where[128];          /* the name of the call, such as "phase add" or ".print" */
    bool reader;              /* it is not a phase, and writes nothing */
    pen_gid found;            /* the lowest gid of a node with a mistake; INT64_MAX: none */
    char text[512];
    pen_status status; /* of this rank so far */
} pen_checker;

/* Local. PEN_ERR_MEMORY; pen_checker_free also after a failure. */
PEN_CHECKED pen_status pen_checker_create(pen_run *run, pen_checker *checker);
void pen_checker_free(pen_checker *checker);

/* Local, between pen_guard_begin and pen_guard_end. Compute a node in both replicas, and report its mistake.
 * `writes`: the fields that it may write. False: the call did not return, and there is no outcome. Otherwise
 * checker->plain has the outcome, and checker->unwritten has its bits that were not written. */
bool pen_checker_node(pen_checker *checker, pen_lid slot, pen_call *call, uint64_t writes);

/* Local. A node's current record of a field is delivered, bytes first..end of it; `way` names how. `unwritten` has
 * the bits of the whole record that were not written. Reports a mistake if none of these bytes was written or, with
 * `all`, if some bit was not. */
void pen_checker_delivery(pen_checker *checker, pen_gid gid, const pen_gap *gap, const unsigned char *unwritten,
                          const char *way, bool all);

/* Local. Returns the message of the reported mistake, and forgets the mistake. NULL: there is none. */
const char *pen_checker_take(pen_checker *checker);

/* Collective. PEN_ERR_CHECK: a mistake was reported; the message is that of the node with the lowest gid.
 * PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_checker_end(pen_checker *checker);
