/* status_board.h - memory shared by the ranks of one host, in which each rank posts its activity. The ranks' watchdogs
 * (watchdog.h), which must not call MPI, read it. It is an unlinked file, which disappears with the last process. */
#pragma once

#include "base/comm.h"
#include "debug/decision.h"

#include <stdatomic.h>

enum { PEN_POST_TEXT = 208 };

/* A rank's post. */
typedef struct pen_post {
    _Atomic(int64_t) heartbeat; /* ms of the last post; 0: not watched yet, or no longer */
    _Atomic(uint64_t) moves, steps;
    _Atomic(bool) inside, stepping; /* as in pen_activity */
    int rank;                       /* in the watched communicator */
    char text[PEN_POST_TEXT];       /* "busy in ..."; a reader may see half of a new text */
} pen_post;

typedef struct pen_status_board {
    _Atomic(bool) ended;           /* the run is ending */
    _Atomic(uint64_t) reported;    /* moves of the host at the last report */
    _Alignas(64) pen_post posts[]; /* [host_size] */
} pen_status_board;

/* Collective. Either all ranks get a board, or none does: PEN_ERR_IO, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_status_board_create(pen_comm *comm, pen_status_board **board);

/* Local. Nulls *board; NULL and a null handle are legal. */
void pen_status_board_destroy(pen_status_board **board, int host_size);

/* Local. The combined activity of the ranks of this host. */
pen_activity pen_status_board_activity(const pen_status_board *board, int host_size);

/* Local. Prints "rank 0: busy in ...; ranks 1-3: ..." for all watched ranks of this host. A rank whose last
 * heartbeat is older than `alive` is printed as stopped or gone. */
void pen_status_board_print(const pen_status_board *board, int host_size, int64_t alive, FILE *out);
