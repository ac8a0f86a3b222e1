/* plan.h - a balancer's plan, checked and scored before anything moves. */
#pragma once

#include "balance/registry.h"
#include "run/state.h"
#include "steer/steer.h"
#include "store/rows.h"

/* Local. What is shipped of a node that moves, as balancers and the record are told. */
pen_row_format pen_run_row_format(const pen_run *run);

/* Collective, of a run that has loads. Let the balancer make a plan for its nodes, after the step that the facts tell
 * of, as steering says: for how many steps to come, and whether for the loads of this step and the remembered ones
 * (loads.h) together; check it, and find out what would come of it, as far as that decides. *plan is the caller's to
 * free (plan->moves), NULL after a failure. PEN_ERR_INTERNAL where the plan is none; else as the balancer fails; the
 * same on all ranks. */
PEN_CHECKED pen_status pen_plan_make(pen_run *run, const pen_chosen_balancer *balancer, const pen_steer *steer,
                                     const pen_steer_facts *facts, pen_plan *plan, pen_outlook *outlook);
