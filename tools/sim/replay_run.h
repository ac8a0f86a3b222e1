/* replay_run.h - replays the steps of a record on virtual ranks, with the steering of a run (pen_steer_step) between
 * them. All Local.
 *
 * All ranks share a pen_steer; only the expected load differs between them. */
#pragma once

#include "observe/history.h"
#include "tools/sim/replay_plan.h"

/* Sums over steps or calls. */
typedef struct replay_totals {
    int64_t steps;
    /* Largest and mean work / speed of the ranks, in seconds or declared units; max is summed over the phases. */
    double max, mean;
    double imbalance, most; /* sum of the steps' max / mean, and the largest one */
    double seconds;         /* predicted seconds of the steps */
    double calls;           /* predicted seconds of calls, with their migrations */
    double work, pulls;     /* parts of `seconds`: computing and pulling of the slowest ranks */
    int64_t planned;        /* number of calls that made a plan */
    int64_t rounds, exchanges, reductions, bytes, max_bytes; /* sums over the calls that made a plan */
} replay_totals;

typedef struct replay_run {
    replay_world world;
    replay_mutual *mutual;     /* mutual neighbours of the record, owned by the caller */
    const replay_model *model; /* the model of times, owned by the caller */
    const char *when;          /* condition of calls, owned by the caller */
    replay_balancer balancer;
    pen_steer steer;
    pen_quality first; /* quality of the first partition */
    int64_t first_nodes, first_edges;
    double *expected;    /* [ranks] pen_steer.expected of each rank */
    pen_past_sums *past; /* [ranks] pen_steer_local.past of each rank */
    double *loads;       /* [ranks] loads of the last step */
    double *phase_loads; /* [ranks*phases] loads of the last step by phase */
    double *pulls;       /* [ranks] seconds of pulls, if `pulls_are_known` */
    bool pulls_are_known;
    double *averages; /* [averages_room] by place, the loads of a plan for averages */
    int64_t averages_room;
    double clock;              /* predicted seconds so far */
    double *work_of, *pull_of; /* [ranks] seconds of work and of pulls, over all steps */
    pen_history *histories;    /* [ranks] histories of loads, or NULL: not wanted */
    bool complained;           /* a failed plan has been reported */
    replay_totals totals;
} replay_run;

/* Begin a replay of a record that was just opened. *run takes over *world, also after a failure. `balancer` is a name,
 * `cost` the text of --balance-cost or NULL. Errors: those of pen_balancer_open and pen_steer_settings_read. On failure
 * *run is empty. */
PEN_CHECKED pen_status pen_replay_run_begin(replay_world *world, replay_mutual *mutual, const replay_model *model,
                                            const char *balancer, const char *when, const char *cost, bool histories,
                                            replay_run *run);
void pen_replay_run_free(replay_run *run);

/* Copy the state. The copy's balancer knows the same loads of nodes; its own state and its nodes' data begin again.
 * Only for runs whose balancer is called by pen_replay_run_call alone. PEN_ERR_MEMORY, and errors of pen_balancer_open.
 * On failure *copy is empty. */
PEN_CHECKED pen_status pen_replay_run_copy(const replay_run *run, replay_run *copy);

/* Call the balancer after this step, independently of --balance-when, like pen_run_balance in a run. Errors: those of a
 * step. */
PEN_CHECKED pen_status pen_replay_run_call(replay_run *run, int64_t remaining);

/* The cost of all steps and calls so far, in declared units or predicted seconds. */
double pen_replay_run_cost(const replay_run *run);

/* The cost of the last step if it were repeated with the present owners; and its cost if all ranks were always busy.
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replay_run_again(replay_run *run, double *cost);
double pen_replay_run_ideal(const replay_run *run);

/* Follow a change of the record's graph. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replay_run_change(replay_run *run);

/* Do everything at the end of a step of the record, with `remaining` steps to come (INT64_MAX: unknown). An invalid or
 * failed plan moves nothing, and gives one line on standard error. PEN_ERR_MEMORY, PEN_ERR_ARGUMENT. */
PEN_CHECKED pen_status pen_replay_run_step(replay_run *run, int64_t remaining);

/* The predicted fraction of the steps' time in which ranks compute; the same if only loads took time. */
double pen_replay_run_busy(const replay_run *run);
double pen_replay_run_efficiency(const replay_run *run);

/* Compute the present cut, as in pen_quality. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replay_run_cut(replay_run *run, int64_t *cut);

/* Write the metrics as JSON ("penumbra-metrics/2", without the members that only a run has): times are predicted; a
 * rank communicates while it waits for the slowest one. `machine` is its name, or NULL. PEN_ERR_IO, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replay_metrics_write(const replay_run *run, const char *machine, const char *path);
