/* evaluation.h - computes the costs and benefits of a plan before nodes move. */
#pragma once

#include "base/status.h"
#include "steer/trigger.h"
#include <penumbra_plugin.h>

#define PEN_SAME_TIME 1e-9 /* times are equal if they differ by at most this fraction */

/* The evaluation of a plan, equal on all ranks, except `load`. */
typedef struct pen_evaluation {
    double load; /* load of this rank after the plan */
    /* The largest load / speed of a rank after the plan, which is the time of a step; with loads per phase, the sum of
     * the maxima of the phases; if the plan is for two loads, the mean of that and of the maximum of the other ones. */
    double max;
    double off; /* the largest difference between a rank's load / speed and the mean time */
    /* Cut and pieces decide about the plan: nodes move, `max` stays as it is, and `off` is not lower than before. Only
     * then are they known, as in pen_quality. */
    bool hesitates;
    int64_t cut, pieces;
    int64_t moved, max_moved;         /* number of nodes that move; the largest number that one rank sends or gets */
    bool regardless;                  /* some rank wants the plan carried out even if it does not lower the maximum */
    double cpu_seconds;               /* processor time of the algorithm in seconds, over all ranks, without waiting */
    int64_t exchanges, reductions;    /* numbers of calls that the algorithm made; set by the caller */
    double counts[PEN_PLAN_COUNTERS]; /* sums over all ranks of the balancer's counters (pen_plan) */
} pen_evaluation;

/* Collective. Evaluate a plan that was checked, made after the step that `facts` describe: move i moves node places[i]
 * of the view, [plan->count]. The view has the loads that the plan is for. If the plan is for two loads, `before`,
 * [view->count], has the other ones; otherwise it is NULL. cpu_seconds is the time of the algorithm on this rank. To
 * compute cut and pieces, the view must have edges and shadows. If this rank alone fails, the other ranks learn of it
 * in their next call of the peers. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_evaluation_make(pen_peers *peers, const pen_steer_facts *facts, const pen_load_view *view,
                                           const double *before, const pen_plan *plan, const pen_lid *places,
                                           double cpu_seconds, pen_evaluation *evaluation);
