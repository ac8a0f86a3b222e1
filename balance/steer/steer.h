/* steer.h - balancing between steps, without the balancer itself: decides whether to make a plan, estimates its cost,
 * compares the plan with doing nothing, and records all calls. It works on numbers and peers, for a run on MPI and for
 * simulated ranks. After each step that pen_steer_looks selects, all ranks call pen_steer_look, which fails if loads
 * are wrong, then pen_steer_step, which does everything else with callbacks. */
#pragma once

#include "base/coder.h"
#include "steer/evaluation.h"
#include "steer/forecast.h"
#include "view/quality.h"

#include <stdlib.h>

/* When the balancer is called. */
typedef enum pen_steer_when {
    PEN_STEER_AUTO,  /* when it pays */
    PEN_STEER_EVERY, /* after every N steps */
    PEN_STEER_CHANGE /* after steps that have changed the graph */
} pen_steer_when;

/* The user's settings (pen_balance_options). */
typedef struct pen_steer_settings {
    pen_steer_when when;
    pen_load_kind load;
    int64_t every; /* number of steps from call to call, >= 1, with PEN_STEER_EVERY; otherwise 0 */
    bool always;   /* make calls that cost more than they can gain; not with PEN_STEER_AUTO */
    double call_cost, node_cost;
} pen_steer_settings;

/* Local. Set settings from texts (pen_balance_options.when and the command line's --balance-cost), each of which may be
 * NULL. The kind of loads is set already. PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_steer_settings_read(const char *when, const char *cost, pen_steer_settings *settings);

/* The record of one call of the balancer, equal on all ranks, except evaluation.load. */
typedef struct pen_balance_call {
    int64_t step;         /* number of steps before the call */
    bool applied, failed; /* the plan was carried out; the call failed. If neither, nodes stayed where they were. */
    int64_t nodes;
    /* The partition. The bound, and the two-sided imbalance before, are those of the step's loads; the imbalances are
     * those of the loads that the plan is for. */
    pen_quality before, after;
    pen_evaluation evaluation; /* evaluation of the plan; if that was not carried out, no nodes have moved */
    int64_t moved_bytes;       /* bytes that moved */
    int rounds;
    double seconds; /* duration in seconds, the maximum over ranks */
} pen_balance_call;

/* Totals of all calls, including those whose records were dropped. */
typedef struct pen_balance_totals {
    int64_t skipped; /* number of calls that were not made because they cost more than they can gain */
    int64_t calls, failed, applied, moved_nodes, moved_bytes, exchanges, reductions;
    double seconds, cpu_seconds, counts[PEN_PLAN_COUNTERS];
} pen_balance_totals;

enum { PEN_CALLS_KEPT = 256, PEN_STEER_TIMES = 3 };

typedef struct pen_steer {
    pen_steer_settings settings;
    pen_trigger trigger;
    double latency, byte_time; /* times on the machine of an exchange and of a byte; 0: links have no latencies */
    int64_t node_bytes;        /* bytes shipped with a node, used until a call has moved nodes */
    pen_forecast forecast;     /* with PEN_STEER_AUTO the caller keeps the nodes' average loads while this says so */
    pen_steer_facts facts;     /* facts of the last step that was examined */
    double expected;           /* expected load of this rank if loads do not shift; < 0: unknown */
    int64_t version;           /* version of the distribution to which `expected` belongs */
    int64_t looked, next_look; /* the last step that was examined, and the next one to examine */
    double looked_at;          /* time in seconds of the last examination */
    /* Seconds of the last calls, the newest first: without migration, and of the migration; 0: no call. */
    double decided[PEN_STEER_TIMES], migrated[PEN_STEER_TIMES];
    pen_quality quality;    /* quality of the present partition, unless it is stale */
    bool stale;             /* the graph has changed since `quality` was measured */
    int64_t due;            /* the step after which a call was last due, made or skipped */
    int64_t changes;        /* number of changes of the graph at the last examination */
    double total, makespan; /* declared work of all steps so far, and the time that it took, in units */
    /* [call_count] records of the first PEN_CALLS_KEPT calls, and of as many of the last ones. */
    pen_balance_call *calls;
    int call_count;
    pen_balance_totals all; /* totals of all calls */
} pen_steer;

/* A finished step, as one rank sees it. */
typedef struct pen_steer_local {
    int64_t step, remaining; /* number of finished steps; number of steps to come (INT64_MAX: unknown) */
    double seconds;          /* time on the rank's clock in seconds */
    pen_lid count;
    const double *loads;       /* [count] loads of the rank's nodes */
    double load;               /* sum of the loads */
    bool wrong;                /* the cost of some node is negative, infinite or NaN; all loads here are 0 */
    int phases;                /* number of synchronising phases of a step (pen_load_view); 0 counts as 1 */
    const double *phase_loads; /* [phases] sums of the loads in each phase; not used if there is only one phase */
    pen_past_sums past;        /* sums of past loads over the rank's nodes; not used if there are no averages */
    double speed;              /* speed of the rank: it needs load / speed seconds or declared units */
    /* Version of the distribution. It changes if nodes have changed owners, but not if nodes were added or removed,
     * which counts as a shift of load. */
    int64_t version;
    int64_t nodes;   /* number of nodes of all ranks */
    int64_t changes; /* number of changes of the graph so far; any number that differs after a change */
} pen_steer_local;

/* Local. Begin; settings have been parsed. Moving a node without neighbours ships node_bytes; `quality` is that of the
 * first partition.
 *
 * With measured loads the cost of a call is the median time of the last three calls on the slowest rank, or the shorter
 * time of two. So one call that waited for other processes of a busy machine has no effect. Since the first call may be
 * such a one, a time counts at most as ten times the processor time of the call, or as a slow migration. With declared
 * loads the settings give the cost. If they do not, it follows from the machine, if its links have latencies: each
 * exchange and reduction is a message on every level of a binary tree of the ranks, over the slowest link of that
 * level; their number is that of the previous call. The time of a byte is the mean link's time for a unit of data /
 * node_bytes: a node ships a unit of data. Without latencies, or if `machine` is NULL, a call costs 5 % of the mean
 * rank's load, and half the mean node's load for each node that the busiest rank sends or gets. */
void pen_steer_start(pen_steer *steer, const pen_machine *machine, int64_t node_bytes, const pen_quality *quality,
                     double seconds);

/* Local. Go on after so many steps and changes of the graph, whose loads steering has not seen. */
void pen_steer_skip(pen_steer *steer, int64_t step, int64_t changes);

/* Local, for loads in another unit from here on: forget all that follows from loads, except the records of calls. */
void pen_steer_restart(pen_steer *steer);
static inline void pen_steer_free(pen_steer *steer) { free(steer->calls); }

/* Local. Whether loads are declared, in units; otherwise they are measured, in seconds. */
static inline bool pen_steer_declared(const pen_steer *steer) { return steer->settings.load == PEN_LOAD_DECLARED; }

/* Local. The median of the last times, as pen_steer_start describes; `guess`: there is none. */
double pen_steer_usual(const double times[PEN_STEER_TIMES], double guess);

/* Local. Whether to examine a step at all; `changes` as in pen_steer_local. */
bool pen_steer_looks(const pen_steer *steer, int64_t step, int64_t changes);

/* Collective. Examine a step: agree on steer->facts. PEN_ERR_ARGUMENT: a node's load is not a number >= 0; and errors
 * of the peers. */
PEN_CHECKED pen_status pen_steer_look(pen_steer *steer, pen_peers *peers, const pen_steer_local *mine);

/* Callbacks of steering, in the order of the calls. They are Collective; a failure is the same on all ranks and ends
 * the step. Those that get the record of a call fill it in with the values of this rank. */
typedef struct pen_steer_calls {
    void *context; /* argument of all callbacks */

    /* Add the loads of this step to the remembered ones, node by node; `first`: remember only this step. */
    pen_status (*remember)(void *context, bool first);

    /* Measure the present partition: before a plan, and after it was carried out. *quality is the last one; if not
     * `changed`, only values that depend on loads are measured again. */
    pen_status (*measure)(void *context, bool changed, pen_quality *quality);

    /* NULL: there is no balancer. Make a plan for facts.horizon steps: for the nodes' average loads if
     * facts.by_average; if trigger.mixes, for two alternating loads, those of this step and the mean of the remembered
     * ones (check.h); else for those of this step. Evaluate it (pen_evaluation_make). Sets call->failed, or .rounds,
     * .evaluation, and in .seconds how long that took. */
    pen_status (*plan)(void *context, pen_balance_call *call);

    /* Carry the plan out. Sets call->failed, or .applied, .moved_bytes (sent by this rank) and *version, that of the
     * distribution; in both cases .seconds since planning began. */
    pen_status (*migrate)(void *context, pen_balance_call *call, int64_t *version);
} pen_steer_calls;

/* Collective, after pen_steer_look, once for each step that was examined; and again if the caller requests a plan
 * `now`. Do everything that follows from the step. With PEN_STEER_AUTO the trigger decides about a plan; otherwise one
 * is made if it is due and can gain its cost, or plans are always made. A call that cannot gain its cost is counted as
 * skipped. Without load, or with one rank, no plan is made.
 *
 * Whether to carry a plan out: if plans are made when they pay, it must pay. Otherwise it must lower the maximum, or
 * keep it and lower the largest deviation of a rank's load from the mean, the pieces, or the cut. Errors: those of the
 * callbacks and of the peers, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_steer_step(pen_steer *steer, pen_peers *peers, bool now, const pen_steer_calls *calls);

/* Local, for checkpoints (tools/package/schema/penumbra-checkpoint-1.txt). Code the state that is equal on all ranks,
 * without settings and `expected`. When reading, the last examination counts as made at `seconds`, and the counts of
 * other counters than `counters` (pen_balancer) become 0. Reading fails with PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_steer_code(pen_coder *coder, pen_steer *steer, const char *const *counters, double seconds);
