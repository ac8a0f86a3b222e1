/* plan.h - a balancer's plan, checked and scored before anything moves. */
#ifndef PEN_PLAN_H
#define PEN_PLAN_H

#include "run/balance.h"

/* What would come of a plan. Equal on all ranks but for what is said to be this rank's. */
typedef struct pen_outlook {
    double load;              /* of this rank */
    double max;               /* over ranks */
    int64_t moved, max_moved; /* nodes; in or out of one rank */
    bool regardless;          /* some rank wants it carried out even if it helps nobody */
    double cpu_seconds;       /* of the algorithm, over all ranks, without waiting */
} pen_outlook;

/* Collective. Let the balancer make a plan for the nodes of the run, which is expected to serve `horizon` steps;
 * check it, and find out what would come of it. *plan is the caller's to free (plan->moves), NULL after a
 * failure. PEN_ERR_INTERNAL where the plan is none; else as the balancer fails; the same on all ranks. */
PEN_CHECKED pen_status pen_plan_make(pen_run *run, double horizon, pen_plan *plan, pen_outlook *outlook);

#endif
