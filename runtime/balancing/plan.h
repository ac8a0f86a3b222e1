/* plan.h - the state of balancing, and the plans of its balancer. */
#pragma once

#include "balance/registry.h"
#include "run/state.h"
#include "steer/steer.h"
#include "view/notes.h"
#include "view/peers.h"

typedef struct pen_balance {
    char *name;                   /* name of the balancer, as given by the user */
    pen_chosen_balancer balancer; /* the balancer; without one, declared loads are still summed */
    pen_steer steer;
    pen_mpi_peers peers; /* peers for the reduction of a step */
    bool complained;     /* a warning about a plan has been printed */
    void *notes;         /* [owned] notes of the balancer (view/notes.h) */
    pen_past *past;      /* [owned] average loads; NULL: there are none */
} pen_balance;

/* Collective. Let the balancer plan for the run's nodes, after the step that steering has examined. The plan is for as
 * many steps as steering expects, and for the loads of this step, alone or together with the remembered ones (loads.h),
 * or for average loads. The plan is checked and evaluated. The caller frees plan->moves, which is NULL after a failure.
 * PEN_ERR_INTERNAL: the plan is wrong; else the balancer's failure; the same on all ranks. */
PEN_CHECKED pen_status pen_balance_plan(pen_run *run, const pen_balance *balance, pen_plan *plan,
                                        pen_evaluation *evaluation);
