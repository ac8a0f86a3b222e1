/* replay_run.h - a replay: the steps of a record on virtual ranks, and balancing between them by the same steering as
 * in a run (pen_steer_step). All Local.
 *
 * All ranks share a pen_steer: they differ in what they expect to have to do, and in nothing else. */
#pragma once

#include "observe/history.h"
#include "tools/sim/replay_plan.h"

/* Sums over steps or calls. */
typedef struct replay_totals {
    int64_t steps;
    double max, mean;       /* of the ranks' work / speed, in seconds or declared units; max: the sum of the phases' */
    double imbalance, most; /* sum of the steps' max / mean; the greatest one */
    double seconds;         /* predicted, of steps */
    double calls;           /* and of calls, with their migrations */
    double work, pulls;     /* of steps, what the slowest ranks computed and pulled */
    int64_t planned;        /* calls that made a plan; of these: */
    int64_t rounds, exchanges, reductions, bytes, max_bytes;
} replay_totals;

typedef struct replay_run {
    replay_world world;
    replay_mutual *mutual;     /* the caller's, of the record */
    const replay_model *model; /* the caller's */
    const char *partitioner;   /* the caller's: what put nodes where they were at first */
    const char *when;          /* the caller's */
    replay_balancer balancer;
    pen_steer steer;
    pen_quality first; /* of the first partition */
    int64_t first_nodes, first_edges;
    double *expected;    /* [ranks] pen_steer.expected */
    double *loads;       /* [ranks] of the last step */
    double *phase_loads; /* [ranks*phases] the same, in its phases; `loads`, if there is one */
    double *pulls;       /* [ranks] seconds, where `pulls_are_known` */
    bool pulls_are_known;
    double *remembered; /* [remembered_room] sums of loads of so many steps by places, else 0 of them */
    int64_t remembered_room, remembered_steps;
    double clock;              /* predicted seconds so far */
    double *work_of, *pull_of; /* [ranks] seconds, over all steps */
    pen_history *histories;    /* [ranks] of loads, or NULL: nobody wants them */
    bool complained;           /* about a plan */
    replay_totals totals;
} replay_run;

/* Begin, of a record that was just opened, with nodes where the world has them, which *run takes over, also after a
 * failure. `balancer` is a name, `cost` the text of --balance-cost or NULL. Errors as of pen_balancer_open and
 * pen_steer_settings_read. On failure *run is empty. */
PEN_CHECKED pen_status pen_replay_run_begin(replay_world *world, replay_mutual *mutual, const replay_model *model,
                                            const char *balancer, const char *when, const char *cost, bool histories,
                                            replay_run *run);
void pen_replay_run_free(replay_run *run);

/* Another one in the same state, but for what its balancer remembers: that begins anew. Of runs whose balancer is asked
 * by pen_replay_run_call alone. PEN_ERR_MEMORY, and as of pen_balancer_open. On failure *copy is empty. */
PEN_CHECKED pen_status pen_replay_run_copy(const replay_run *run, replay_run *copy);

/* Let the balancer make a plan after this step, whatever --balance-when says, as pen_run_balance does in a run. Errors
 * as of a step. */
PEN_CHECKED pen_status pen_replay_run_call(replay_run *run, int64_t remaining);

/* What all steps and calls have cost so far: declared units, or seconds as predicted. */
double pen_replay_run_cost(const replay_run *run);

/* What the step just done would cost if it came again, with nodes where they are now; and if all ranks were busy all
 * the time with it. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replay_run_again(replay_run *run, double *cost);
double pen_replay_run_ideal(const replay_run *run);

/* The record's graph has changed. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replay_run_change(replay_run *run);

/* The record has come to the end of a step, `remaining` before the last one (INT64_MAX: not known). A plan that is
 * none, or that cannot be made, leaves nodes where they are, with one line on standard error. PEN_ERR_MEMORY,
 * PEN_ERR_ARGUMENT. */
PEN_CHECKED pen_status pen_replay_run_step(replay_run *run, int64_t remaining);

/* The share of the ranks' time that they computed in, as predicted for the steps; and if loads were all that costs. */
double pen_replay_run_busy(const replay_run *run);
double pen_replay_run_efficiency(const replay_run *run);

/* Nodes that are on other ranks than a neighbour is: of the edges' weights, as of pen_quality, now. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replay_run_cut(replay_run *run, int64_t *cut);
