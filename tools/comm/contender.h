/* contender.h - one way to bring the halo of a pattern up to date, at one size of records: a transport of
 * Penumbra's, or a back-end of PETSc's PetscSF.
 *
 * A step rewrites the nodes that others pull and then pulls, on two planes in turn, as a run does. What counts is
 * the time from the moment the nodes are rewritten to the moment the shadows are there. */
#ifndef COMM_CONTENDER_H
#define COMM_CONTENDER_H

#include "halo/notify.h"
#include "tools/comm/pattern.h"
#include "tools/comm/petsc_sf.h"

typedef struct comm_contender {
    const char *name; /* static storage */
    bool one_sided;
    pen_field field; /* its one field */
    pen_store *store;
    pen_halo *halo; /* NULL: PetscSF */
    petsc_sf *petsc;
    pen_timers timers;
    pen_notices notices; /* two-sided: empty messages with all neighbours */
    int64_t step;        /* done so far */
} comm_contender;

/* Local. The name of the i-th contender that may exist, in this build; NULL behind the last one. */
const char *pen_contender_name(int i);

/* Collective. PEN_ERR_ENVIRONMENT: it cannot run here, pen_error_message() tells why, the same on all ranks;
 * other errors as pen_store_create and pen_connect. *contender stays where it is until it is closed. */
PEN_CHECKED pen_status pen_contender_open(pen_comm *comm, const comm_pattern *pattern, const char *name, size_t record,
                                          comm_contender *contender);

/* Collective. Some steps with records that tell node and step in every byte, into poisoned shadows: PEN_ERR_INTERNAL,
 * the same on all ranks, where a shadow is not what its owner wrote in that step. */
PEN_CHECKED pen_status pen_contender_check(comm_contender *contender);

/* Collective. Seconds per step on this rank. */
double pen_contender_pull(comm_contender *contender, int steps);

/* Collective. Seconds per step, on this rank, of synchronising with nothing to pull: one-sided the step's epochs or
 * notices, two-sided an empty message from and to every neighbour. PetscSF: 0, it has no such thing. */
double pen_contender_idle(comm_contender *contender, int steps);

/* Local. Seconds so far that went into copies of this rank's own, to or from packed blocks. */
double pen_contender_copying(const comm_contender *contender);

/* Local. Bytes on this rank, of the window beside the planes and of buffers; -1: not known (PetscSF). */
int64_t pen_contender_buffers(const comm_contender *contender);

/* Collective. A zeroed contender is legal. */
void pen_contender_close(comm_contender *contender);

#endif
