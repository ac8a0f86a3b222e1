/* board.h - memory that the ranks of one host share, where each puts up what it is at: for the watch (watch.h), which
 * must not ask MPI. It is a file without a name, which is gone with the last of them. */
#ifndef PEN_BOARD_H
#define PEN_BOARD_H

#include "base/comm.h"

#include <stdatomic.h>

typedef enum pen_condition {
    PEN_RANK_WORKS,   /* in functions of the application, of an algorithm, of the library: it will come */
    PEN_RANK_WAITS,   /* for other ranks */
    PEN_RANK_OUTSIDE, /* not in the library */
    PEN_RANK_HELD,    /* in the hands of a debugger */
    PEN_RANK_LEFT     /* it is not watched any more */
} pen_condition;

enum { PEN_POST_TEXT = 208 };

/* What a rank puts up, for itself. */
typedef struct pen_post {
    _Atomic(uint64_t) beats;  /* grows while the process runs */
    _Atomic(int64_t) still;   /* ms for which it has not moved, of its own time: a process that is stopped has none */
    _Atomic(int64_t) since;   /* when it moved last, as time() tells */
    _Atomic(int) condition;   /* pen_condition */
    int rank;                 /* of the communicator that is watched */
    char text[PEN_POST_TEXT]; /* what it is at; worth reading where it does not move */
} pen_post;

typedef struct pen_board {
    int file, host_rank, host_size;
    struct pen_board_page *page;
} pen_board;

/* Collective. Whoever cannot take part has none, and then nobody has: PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_board_create(pen_comm *comm, pen_board **board);

/* Local. Nulls *board; NULL and a null handle are legal. */
void pen_board_destroy(pen_board **board);

/* Local. What rank `host_rank` of this host has put up. */
pen_post *pen_board_post(const pen_board *board, int host_rank);

/* Local. The run is to end, and all that look here with it. */
_Atomic(int) *pen_board_ended(const pen_board *board);

/* Local. Whether the process of a rank is still there, be it in another container: the kernel lets go of a lock where
 * it is not. True where the kernel cannot tell. */
bool pen_board_lives(const pen_board *board, int host_rank);

#endif
