/* delays.h - a test instrument: a transport that wraps another one and delays its messages between some ranks.
 *
 * A text file gives the additional time of messages, one line each. Text after # is ignored.
 *
 *     FROM TO SECONDS [SECONDS_PER_BYTE]     two ranks, or * for all; the last line for a pair applies
 *
 * In a pull, data from another rank arrives no earlier than SECONDS, plus SECONDS_PER_BYTE for each of its bytes, after
 * that rank's pull began. So messages of different partners overlap with each other and with the computation of nodes;
 * a rank that gets them late only waits. Only pulls are delayed, not far reads, migration or sums. Senders send the
 * time at which they began, and their clocks agree on one host only. */
#pragma once

#include "halo/halo.h"

typedef struct pen_delay {
    double seconds, per_byte;
} pen_delay;

typedef struct pen_delays {
    pen_transport transport; /* the wrapper: halo->transport points here, at the beginning of pen_delays */
    const pen_transport *inner;
    pen_delay *from;       /* [ranks] delays of the messages from each rank to this one */
    double *sent;          /* [ranks+1] start times of the producers' pulls; the last entry is this rank's */
    MPI_Request *requests; /* [2*ranks] requests of the messages with these times */
} pen_delays;

/* Collective. Reads the file at a path; only rank 0 opens it. PEN_ERR_IO, PEN_ERR_INPUT (a malformed line, with its
 * number), PEN_ERR_ENVIRONMENT (several hosts), PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_delays_create(pen_comm *comm, const char *path, pen_delays **delays);

/* Local. Nulls *delays; a null handle is legal. No halo may use its transport any more. */
void pen_delays_destroy(pen_delays **delays);

/* Local. A transport like `inner`, with these delays. It is part of *delays. */
const pen_transport *pen_delays_wrap(pen_delays *delays, const pen_transport *inner);
