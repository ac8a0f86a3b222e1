/* far.h - far reads: what the nodes of a phase want beyond their neighbours, gathered and read before it. */
#pragma once

#include "run/state.h"

/* What nodes wanted so far, and the first failure to note it. */
struct pen_wishes {
    pen_gid *gids; /* [count] */
    int64_t count, room;
    pen_status status;
};

struct pen_far_state {
    pen_wishes wishes;
    int64_t *first; /* [owned+1] */
    pen_lid owned;  /* that `first` has room for */
    pen_lid *slots; /* [slots_room] */
    int64_t slots_room;
    pen_far far; /* what the view points to */
};

/* Local. Ask a node for its wishes, in place of phase->far. */
typedef void pen_far_ask(pen_run *run, pen_lid slot, pen_wishes *wishes);

/* Collective, before a phase with .far: ask its nodes what they want, read it, and let the view see it.
 * shadows: fields whose shadows are current; ask: NULL: phase->far. On failure, the same on all ranks, nothing has
 * changed. */
PEN_CHECKED pen_status pen_far_read(pen_run *run, const pen_phase *phase, uint64_t shadows, pen_far_ask *ask);

/* Local. */
void pen_far_destroy(struct pen_far_state **state);
