/* evaluation.h - computes the costs and benefits of a plan before nodes move. */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

/* The evaluation of a plan, equal on all ranks, except `load`. */
typedef struct pen_evaluation {
    double load; /* load of this rank after the plan */
    /* The largest load / speed of a rank after the plan, which is the time of a step; with loads per phase, the sum of
     * the maxima of the phases. */
    double max;
    double off;                       /* the largest difference between a rank's load / speed and the mean time */
    int64_t cut, pieces;              /* cut and pieces as in pen_quality, set by pen_evaluation_shape */
    int64_t moved, max_moved;         /* number of nodes that move; the largest number that one rank sends or gets */
    bool regardless;                  /* some rank wants the plan carried out even if it does not lower the maximum */
    double cpu_seconds;               /* processor time of the algorithm in seconds, over all ranks, without waiting */
    int64_t exchanges, reductions;    /* numbers of calls that the algorithm made; set by the caller */
    double counts[PEN_PLAN_COUNTERS]; /* sums over all ranks of the balancer's counters (pen_plan) */
} pen_evaluation;

/* Collective. Evaluate a plan that was checked: move i moves node places[i] of the view, [plan->count]. cpu_seconds is
 * the time of the algorithm on this rank. If this rank alone fails, the other ranks learn of it in their next call of
 * the peers. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_evaluation_make(pen_peers *peers, const pen_load_view *view, const pen_plan *plan,
                                           const pen_lid *places, double cpu_seconds, pen_evaluation *evaluation);

/* Collective. Compute cut and pieces, too, in a pass over all arcs; the view must have edges and shadows. Errors: as
 * pen_evaluation_make. */
PEN_CHECKED pen_status pen_evaluation_shape(pen_peers *peers, const pen_load_view *view, const pen_plan *plan,
                                            const pen_lid *places, pen_evaluation *evaluation);
