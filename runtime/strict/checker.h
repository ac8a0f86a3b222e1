/* checker.h - checks single nodes in the strict mode. It computes a node in two replicas (replicas.h), which differ
 * in everything that must not matter, and again with real records in place of what it must not see. Between the first
 * two computations it calls other nodes, none to two of them, so that static data change. If the outcomes differ,
 * further calls find the reason. */
#pragma once

#include "strict/replicas.h"

typedef struct pen_checker {
    pen_replicas replicas;
    pen_outcome plain, other; /* outcomes of the call in the first replica, and in another one */
    pen_outcome unused;       /* outcome of the calls of other nodes between the two calls; not used */
    unsigned char *unwritten; /* marks the bits that the node has not written, in a row of all fields' records */
    bool revealed;   /* the other outcome is from real records, so unwritten bits in it do not count as a difference */
    char where[128]; /* name of the call, such as "phase add" or ".print" */
    bool reader;     /* the call is not a phase, and writes nothing */
    pen_gid found;   /* the lowest gid of a node with a mistake; -1: none */
    char text[512];
    pen_status status; /* status of this rank so far */
} pen_checker;

/* Local. Allocate a checker. Call pen_checker_free also after a failure. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_checker_create(pen_run *run, pen_checker *checker);
void pen_checker_free(pen_checker *checker);

/* Local, between pen_guard_begin and pen_guard_end. Compute a node in both replicas, and report its mistake.
 * `writes`: the fields that it may write. False: the call did not return, and there is no outcome. Otherwise
 * checker->plain has the outcome, and checker->unwritten has its bits that were not written. */
bool pen_checker_node(pen_checker *checker, pen_lid slot, pen_call *call, uint64_t writes);

/* Local. Check bytes first..end of a node's current record that is delivered; `way` names how. `unwritten` marks the
 * unwritten bits of the whole record. Reports a mistake if none of these bytes was written or, with `all`, if some bit
 * was not. */
void pen_checker_delivery(pen_checker *checker, pen_gid gid, const pen_gap *gap, const unsigned char *unwritten,
                          const char *way, bool all);

/* Local. Report a mistake of the node in a slot, without a field. */
void pen_checker_report(pen_checker *checker, pen_lid slot, const char *what);

/* Local. Returns the message of the reported mistake, and forgets the mistake. NULL: there is none. */
const char *pen_checker_take(pen_checker *checker);

/* Collective. PEN_ERR_CHECK: a mistake was reported; the message is that of the node with the lowest gid.
 * PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_checker_end(pen_checker *checker);
