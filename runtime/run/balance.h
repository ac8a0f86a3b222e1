/* balance.h - balancing between the steps of a run. Steering (steer/steer.h) receives the loads and decides; the
 * balancer makes a plan for the nodes of the store, which is checked and evaluated before anything moves. */
#pragma once

#include "balance/registry.h"
#include "run/state.h"
#include "steer/steer.h"
#include "view/peers.h"

typedef struct pen_balance {
    char *name;                   /* as the balancer was named */
    pen_chosen_balancer balancer; /* may be none: declared loads are summed up all the same */
    pen_steer steer;
    pen_mpi_peers peers;   /* for a step's reduction */
    pen_steer_facts facts; /* of the last step that was looked at */
    bool looked;           /* at the step in progress */
    bool complained;       /* about a plan */
} pen_balance;

/* Local. Find the balancer and parse the other options, before anything else; *balance is NULL if there is neither a
 * balancer nor declared loads. PEN_ERR_INPUT, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_balance_create(const pen_app *app, const pen_run_options *options, pen_balance **balance);
void pen_balance_destroy(pen_balance **balance);

/* Collective. Begin, when nodes have their owners: the run gets its loads. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_balance_begin(pen_run *run);

/* Local. What is kept of a node (steer/forecast.h); NULL: the run keeps nothing. */
pen_past *pen_balance_past(const pen_run *run, pen_lid slot);

/* Local, before a migration. Choose what of a node's notes it ships: averages as soon as there are any. */
void pen_balance_choose_notes(pen_run *run);

/* Collective, after the phases of a step, before the step is counted. Compare its loads, and decide whether to call the
 * balancer. PEN_ERR_ARGUMENT (a declared cost is not a valid load; the step's loads are not noted), PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_balance_look(pen_run *run);

/* Collective, after a step that was looked at. A plan that is refused, or a migration that fails, leaves everything as
 * it was, with one line on standard error, and is no failure. PEN_ERR_MPI, PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_balance_step(pen_run *run);

/* Collective. Measured on the distributed graph as it is pulled; loads are the node weights. PEN_ERR_MEMORY,
 * PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_run_quality(pen_run *run, pen_quality *quality);

/* Collective. With a machine, update the estimated step time of a partition for other loads: `load` is the sum over
 * this rank's nodes. PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_run_step_time(const pen_run *run, double load, pen_quality *quality);
