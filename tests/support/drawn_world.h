/* drawn_world.h - the serial computation of a drawn program (drawn.h), over plain arrays; it shares no code with the
 * library. */
#pragma once

#include "tests/support/drawn.h"

/* All of the serial computation. */
typedef struct drawn_world {
    const drawn_program *program;
    bool there[DRAWN_NODES], edge[DRAWN_NODES][DRAWN_NODES];
    uint8_t road[DRAWN_NODES][DRAWN_NODES]; /* records of arcs */
    double input[DRAWN_NODES];
    uint8_t records[DRAWN_FIELDS][DRAWN_NODES][DRAWN_BYTES];
    int64_t states[DRAWN_COMPONENTS], least, most, before;
    double sum, low, high;
    drawn_globals globals;
    int64_t step;
    bool stirred;             /* in the last step a record has changed, or a node has asked */
    int64_t computed, needed; /* nodes of phases; those of which an input has changed since they last ran */
    int64_t changed[DRAWN_FIELDS][DRAWN_NODES], ran[DRAWN_PHASES][DRAWN_NODES], events; /* the last events */
    bool asked[DRAWN_PHASES][DRAWN_NODES];
} drawn_world;

/* The graph and the records at the start, observed. */
void drawn_world_begin(const drawn_program *p, drawn_world *w);

void drawn_world_step(drawn_world *w);
void drawn_world_change(drawn_world *w, const drawn_request *requests, int count);
void drawn_world_observe_first(drawn_world *w); /* anew, after changes of the initial state */

/* Requests that are legal in that world; their number. */
int drawn_requests(const drawn_world *w, uint64_t seed, drawn_request requests[DRAWN_REQUESTS]);
