/* far.h - far reads: the nodes of a phase request records beyond their neighbours, which are gathered and read before
 * the phase. */
#pragma once

#include "run/state.h"

/* The requests so far, and the first failure to note one. */
struct pen_requests {
    pen_gid *gids; /* [count] gids of the requested nodes */
    int64_t count, room;
    pen_status status;
};

struct pen_far_state {
    pen_requests requests;
    int64_t *first; /* [owned+1] each node's first request */
    bool *restless; /* [owned] as in pen_view */
    pen_lid owned;  /* number of owned nodes for which these arrays have room */
    pen_lid *slots; /* [slots_room] slots of the requested nodes */
    int64_t slots_room;
    pen_far far; /* the far reads to which the view points */
};

/* Local. Collect the requests of a node, in place of phase->far. */
typedef void pen_far_request_fn(pen_run *run, pen_lid slot, pen_requests *requests);

/* Collective, before a phase with .far: collect the requests of its nodes, read the records, and show them in the view.
 * shadows: fields whose shadows are current; request: NULL: phase->far. On failure, the same on all ranks, nothing has
 * changed. */
PEN_CHECKED pen_status pen_far_read(pen_run *run, const pen_phase *phase, uint64_t shadows,
                                    pen_far_request_fn *request);

/* Local. Free the state of far reads. */
void pen_far_destroy(struct pen_far_state **state);
