/* status_board.h - memory shared by the ranks of one host, in which each rank posts its activity. The ranks' watchdogs
 * (watchdog.h), which must not call MPI, read it. It is an unlinked file, which disappears with the last process. */
#pragma once

#include "base/comm.h"
#include "debug/decision.h"

#include <stdatomic.h>

enum { PEN_POST_TEXT = 208 };

/* The state that a rank posts. */
typedef struct pen_post {
    _Atomic(int64_t) heartbeat; /* time of the last post in ms; 0: not watched yet, or no longer */
    _Atomic(uint64_t) moves, steps;
    _Atomic(bool) inside, stepping; /* as in pen_activity, for this rank */
    int rank;                       /* the rank's number in the watched communicator */
    char text[PEN_POST_TEXT];       /* a text like "busy in ..."; a reader may see half of a new text */
} pen_post;

typedef struct pen_status_board {
    _Atomic(bool) ended;           /* the run is ending */
    _Atomic(uint64_t) reported;    /* the moves of the host at the last report */
    _Alignas(64) pen_post posts[]; /* [host_size] posts of the ranks */
} pen_status_board;

/* Collective. Create a board on all ranks or on none: PEN_ERR_IO, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_status_board_create(pen_comm *comm, pen_status_board **board);

/* Local. Release the board. Nulls *board; NULL and a null handle are legal. */
void pen_status_board_destroy(pen_status_board **board, int host_size);

/* Local. The combined activity of the ranks of this host. */
pen_activity pen_status_board_activity(const pen_status_board *board, int host_size);

/* Local. Print "rank 0: busy in ...; ranks 1-3: ..." for all watched ranks of this host. A rank whose last heartbeat is
 * before `alive` (ms) is printed as stopped or gone. */
void pen_status_board_print(const pen_status_board *board, int host_size, int64_t alive, FILE *out);
