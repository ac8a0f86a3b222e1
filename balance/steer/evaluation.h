/* evaluation.h - the costs and benefits of a plan, computed before anything moves. */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

/* Equal on all ranks, except `load`. */
typedef struct pen_evaluation {
    double load;                      /* of this rank */
    double max;                       /* over ranks, of load / speed: the time of a step; with loads per phase, the sum
                                       * of the maxima of the phases */
    double off;                       /* the greatest difference of a rank's load / speed to that of equal times */
    int64_t cut, pieces;              /* as in pen_quality, after pen_evaluation_shape */
    int64_t moved, max_moved;         /* nodes; in or out of one rank */
    bool regardless;                  /* some rank wants the plan carried out even if it does not lower the maximum */
    double cpu_seconds;               /* of the algorithm, over all ranks, without waiting */
    int64_t exchanges, reductions;    /* of the algorithm; the caller fills them in */
    double counts[PEN_PLAN_COUNTERS]; /* over all ranks (pen_plan) */
} pen_evaluation;

/* Collective. Evaluate a plan that was checked: move i moves node places[i] of the view, [plan->count]. cpu_seconds is
 * the time of the algorithm on this rank. After a failure of this rank alone the other ranks learn of it in their next
 * call of the peers. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_evaluation_make(pen_peers *peers, const pen_load_view *view, const pen_plan *plan,
                                           const pen_lid *places, double cpu_seconds, pen_evaluation *evaluation);

/* Collective. Compute cut and pieces, too, in a pass over all arcs: the view has edges and shadows. Errors: as above.
 */
PEN_CHECKED pen_status pen_evaluation_shape(pen_peers *peers, const pen_load_view *view, const pen_plan *plan,
                                            const pen_lid *places, pen_evaluation *evaluation);
