/* balance.h - balancing between the steps of a run. Steering (steer/steer.h) receives the loads and decides; the
 * balancer makes a plan for the nodes of the store, which is checked and evaluated before anything moves. */
#pragma once

#include "balancing/plan.h"

extern const pen_part pen_part_balance;

/* Local. NULL: the run has neither a balancer nor declared loads. */
static inline pen_balance *pen_balance_of(const pen_run *run) { return pen_part_state(run, &pen_part_balance); }
