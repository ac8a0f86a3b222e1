/* replay_run.h - a replay: the steps of a record on virtual ranks, with the steering of a run (pen_steer_step) between
 * them. All Local.
 *
 * All ranks share a pen_steer; only the expected load differs between them. */
#pragma once

#include "observe/history.h"
#include "tools/sim/replay_plan.h"

/* Sums over steps or calls. */
typedef struct replay_totals {
    int64_t steps;
    double max, mean;       /* of the ranks' work / speed, in seconds or declared units; max: the sum of the phases' */
    double imbalance, most; /* sum of the steps' max / mean; the greatest one */
    double seconds;         /* predicted for steps */
    double calls;           /* predicted for calls, with their migrations */
    double work, pulls;     /* of `seconds`, computing and pulling of the slowest ranks */
    int64_t planned;        /* calls that made a plan */
    int64_t rounds, exchanges, reductions, bytes, max_bytes; /* of these */
} replay_totals;

typedef struct replay_run {
    replay_world world;
    replay_mutual *mutual;     /* the caller's, of the record */
    const replay_model *model; /* the caller's */
    const char *partitioner;   /* of the first partition; the caller's */
    const char *when;          /* the caller's */
    replay_balancer balancer;
    pen_steer steer;
    pen_quality first; /* of the first partition */
    int64_t first_nodes, first_edges;
    double *expected;    /* [ranks] pen_steer.expected */
    pen_past_sums *past; /* [ranks] pen_steer_local.past */
    double *loads;       /* [ranks] of the last step */
    double *phase_loads; /* [ranks*phases] the same by phase */
    double *pulls;       /* [ranks] seconds, if `pulls_are_known` */
    bool pulls_are_known;
    double *averages; /* [averages_room] by place, the loads of a plan for averages */
    int64_t averages_room;
    double *remembered; /* [remembered_room] by place, the sum of the loads of `remembered_steps` steps */
    int64_t remembered_room, remembered_steps;
    double clock;              /* predicted seconds so far */
    double *work_of, *pull_of; /* [ranks] seconds, over all steps */
    pen_history *histories;    /* [ranks] of loads, or NULL: not wanted */
    bool complained;           /* about a plan */
    replay_totals totals;
} replay_run;

/* Begin a replay of a record that was just opened. *run takes over *world, also after a failure. `balancer` is a name,
 * `cost` the text of --balance-cost or NULL. Errors: those of pen_balancer_open and pen_steer_settings_read. On failure
 * *run is empty. */
PEN_CHECKED pen_status pen_replay_run_begin(replay_world *world, replay_mutual *mutual, const replay_model *model,
                                            const char *balancer, const char *when, const char *cost, bool histories,
                                            replay_run *run);
void pen_replay_run_free(replay_run *run);

/* Copy the state. The copy's balancer knows the same loads of nodes; its own state and its nodes' data begin anew. Only
 * for runs whose balancer is called by pen_replay_run_call alone. PEN_ERR_MEMORY, and errors of pen_balancer_open. On
 * failure *copy is empty. */
PEN_CHECKED pen_status pen_replay_run_copy(const replay_run *run, replay_run *copy);

/* Call the balancer after this step, whatever --balance-when says, as pen_run_balance does in a run. Errors: those of
 * a step. */
PEN_CHECKED pen_status pen_replay_run_call(replay_run *run, int64_t remaining);

/* The cost of all steps and calls so far, in declared units or predicted seconds. */
double pen_replay_run_cost(const replay_run *run);

/* The cost of the last step if it were repeated with the present owners; and its cost if all ranks were always busy.
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replay_run_again(replay_run *run, double *cost);
double pen_replay_run_ideal(const replay_run *run);

/* The record's graph has changed. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replay_run_change(replay_run *run);

/* The record is at the end of a step, with `remaining` steps to come (INT64_MAX: not known). An invalid or failed plan
 * moves nothing, and gives one line on standard error. PEN_ERR_MEMORY, PEN_ERR_ARGUMENT. */
PEN_CHECKED pen_status pen_replay_run_step(replay_run *run, int64_t remaining);

/* The predicted share of the steps' time in which ranks compute; and the same if only loads took time. */
double pen_replay_run_busy(const replay_run *run);
double pen_replay_run_efficiency(const replay_run *run);

/* The present cut, as in pen_quality. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replay_run_cut(replay_run *run, int64_t *cut);
