/* beam.h - the best set of steps to call a balancer behind, over the states of a replay that this balancer can reach.
 * All Local.
 *
 * A state is a replay in progress, and the steps behind which the balancer was called. All states see the same steps.
 * Behind a step that may have a call, the best states have a child each: the same, with a call. Of all of them at most
 * `width` live on: those that would have cost least a while later, if the step just done stayed as it is. So what is
 * found can be had; what is best may be better, but never than a run that is balanced all the time for nothing. */
#ifndef PEN_SIM_BEAM_H
#define PEN_SIM_BEAM_H

#include "tools/sim/replay_run.h"

typedef struct beam_state {
    replay_run run;
    int64_t *calls; /* [call_count] steps */
    int64_t call_count, room;
    double last; /* what the last step cost */
} beam_state;

typedef struct beam {
    beam_state *states; /* [count] of `width` + children */
    int count, width, children;
    int64_t stride; /* calls may be behind every so manieth step */
    double ideal;   /* cost of all steps, were all ranks busy all the time: the bound */
} beam;

/* Begin, with one state: a replay whose balancer nobody else asks, which the beam takes over, also after a failure.
 * PEN_ERR_MEMORY. On failure there is nothing to free. */
PEN_CHECKED pen_status pen_beam_begin(replay_run *run, int width, int64_t stride, beam *b);
void pen_beam_free(beam *b);

/* What the record tells: its graph has changed; a step is done. Errors as of a replay. */
PEN_CHECKED pen_status pen_beam_change(beam *b);
PEN_CHECKED pen_status pen_beam_step(beam *b, int64_t remaining);

/* The state that has cost least. */
const beam_state *pen_beam_best(const beam *b);

#endif
