/* refusal.h - why requested changes of the graph cannot be, in the same words on any number of ranks. */
#ifndef PEN_REFUSAL_H
#define PEN_REFUSAL_H

#include "run/state.h"

/* Collective, when requests were carried out or refused with this status, equal on all ranks, and before they are
 * forgotten. Returns it, and makes the message of PEN_ERR_ARGUMENT that of the contradiction which the node (of
 * pen_run_change: the rank) with the lowest number asks for, with that number, phase and step. It takes memory for all
 * requests on every rank; where there is none, the message stays as it is but for phase and step. PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_run_refused(pen_run *run, pen_status status);

#endif
