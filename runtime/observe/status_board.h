/* status_board.h - memory that the ranks of one host share. Each rank posts there what it does, for the watchdogs of
 * all of them (watchdog.h), which must not call MPI. It is a file without a name, which goes with the last process. */
#ifndef PEN_STATUS_BOARD_H
#define PEN_STATUS_BOARD_H

#include "base/comm.h"
#include "observe/decision.h"

#include <stdatomic.h>

enum { PEN_POST_TEXT = 208 };

/* What a rank posts about itself; all zero before the first time. */
typedef struct pen_post {
    _Atomic(int64_t) heartbeat; /* ms, when it posted last; 0: it is not watched yet, or not any more */
    _Atomic(uint64_t) moves, steps;
    _Atomic(bool) inside, stepping; /* as in pen_activity */
    int rank;                       /* in the communicator that is watched */
    char text[PEN_POST_TEXT];       /* "busy in ..."; a reader may see half of a new text */
} pen_post;

typedef struct pen_status_board {
    int host_rank, host_size;
    struct pen_board_page *page;
} pen_status_board;

/* Collective. All ranks have one, or none has: PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_status_board_create(pen_comm *comm, pen_status_board **board);

/* Local. Nulls *board; NULL and a null handle are legal. */
void pen_status_board_destroy(pen_status_board **board);

/* Local. The post of this rank. */
pen_post *pen_status_board_own(const pen_status_board *board);

/* Local. True for the first caller on this host only: the run ends. And whether there has been one. */
bool pen_status_board_end(const pen_status_board *board);
bool pen_status_board_ended(const pen_status_board *board);

/* Local. The ranks of this host together. */
pen_activity pen_status_board_activity(const pen_status_board *board);

/* Local. Whether this rank is to report that nobody has moved since there were so many moves: of the ranks with a
 * heartbeat after `alive` the lowest does, once. */
bool pen_status_board_reports(const pen_status_board *board, uint64_t moves, int64_t alive);

/* Local. "rank 3: busy in ...; ranks 0-2, 4: ...": all ranks of this host that are watched; those whose last heartbeat
 * was before `alive` are stopped, or gone. */
void pen_status_board_print(const pen_status_board *board, int64_t alive, FILE *out);

#endif
