/* delays.h - a test instrument: a transport that wraps another one and delays its messages between some ranks.
 *
 * A file of text says how much longer messages take than they do, in lines (behind # nothing counts):
 *
 *     FROM TO SECONDS [SECONDS_PER_BYTE]     two ranks, or * for all; of several lines for a pair the last one holds
 *
 * What a rank sends another one in a pull is there no earlier than SECONDS, and SECONDS_PER_BYTE for each of its bytes,
 * after that rank's pull began. So messages of different partners are on their way at the same time, and while nodes
 * are computed; a rank that gets them late only waits. Nothing but pulls is delayed: far reads, migration and sums are
 * not. Senders tell by their clocks when they began, which are the same on one host only. */
#ifndef PEN_DELAYS_H
#define PEN_DELAYS_H

#include "halo/halo.h"

typedef struct pen_delay {
    double seconds, per_byte;
} pen_delay;

typedef struct pen_delays {
    pen_transport transport; /* the wrapper: halo->transport points here, at the beginning of pen_delays */
    const pen_transport *inner;
    pen_delay *from;       /* [ranks] of what that rank sends this one */
    double *sent;          /* [ranks+1] by producer: when its pull began; behind them, when this rank's did */
    MPI_Request *requests; /* [2*ranks] */
} pen_delays;

/* Collective. Of the file at a path, which only rank 0 reads. PEN_ERR_IO, PEN_ERR_INPUT (a line that is none, by its
 * number), PEN_ERR_ENVIRONMENT (several hosts), PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_delays_create(pen_comm *comm, const char *path, pen_delays **delays);

/* Local. Nulls *delays; a null handle is legal. No halo may use its transport any more. */
void pen_delays_destroy(pen_delays **delays);

/* Local. A transport like `inner`, with these delays. It is part of *delays. */
const pen_transport *pen_delays_wrap(pen_delays *delays, const pen_transport *inner);

#endif
