/* hindsight.h - replays a record with `auto`, with periods, and with the best set of steps that a beam search finds
 * when all loads are known. Local.
 *
 * The beam search: after each step that may have a call, the best states get a child, a copy with a call. The `width`
 * best of all states are kept, judged by their estimated cost some strides later if all steps were like the last one. A
 * run could achieve the result; the optimum is between it and the bound, the cost of perfect balance at no cost. */
#pragma once

#include "tools/sim/replay_run.h"

/* A state of the beam search: a replay in progress, and the steps after which the balancer was called. */
typedef struct beam_state {
    replay_run run;
    int64_t *calls; /* [call_count] steps with a call */
    int64_t call_count, room;
    double last; /* cost of the last step */
} beam_state;

/* The replays of a hindsight, in this order. */
enum { HINDSIGHT_NEVER, HINDSIGHT_AUTO, HINDSIGHT_PERIODS };

typedef struct hindsight {
    /* Set by the caller. */
    const char *file, *balancer;
    const char *cost, *machine, *partitioner; /* as for a replay; NULL: the default */
    int64_t ranks;                            /* 0: those of the record */
    const int64_t *periods;                   /* [period_count] the periods to try */
    int period_count;
    bool short_periods; /* leave out periods of more than half of the steps */
    int64_t width;      /* states of the beam; 0: no search */
    int64_t stride;     /* number of steps from one possible call to the next; 0: a fortieth of all steps */

    /* Set by pen_hindsight_search. */
    replay_run *runs; /* [count]: without a call, with auto, and with each period */
    int count;
    beam_state *states; /* [state_count] the beam: at most `width`, and as many children */
    int state_count;
    double bound;  /* the cost of all steps if all ranks were always busy */
    int64_t steps; /* number of steps of the record */
    pen_workload record;
    replay_mutual mutual;
    replay_model model;
    pen_machine *hardware;
    char (*whens)[32]; /* [count] the conditions of the runs */
} hindsight;

/* Replay the record in all ways at the same time. Errors: those of reading a record, and of a replay. The caller frees
 * the hindsight, also after a failure. */
PEN_CHECKED pen_status pen_hindsight_search(hindsight *h);
void pen_hindsight_free(hindsight *h);

/* The state of the beam that costs least; NULL: there is no beam. */
const beam_state *pen_hindsight_best_state(const hindsight *h);

/* The number of the cheapest of the runs [first, end); -1: there is none. */
int pen_hindsight_cheapest(const hindsight *h, int first, int end);
