/* replay_plan.h - calls a balancer in a replay, on virtual ranks with the views of a run. All Local. */
#pragma once

#include "balance/registry.h"
#include "steer/steer.h"
#include "tools/sim/replay_time.h"
#include "tools/sim/replay_views.h"
#include "view/notes.h"

/* A balancer and its state on each rank. */
typedef struct replay_balancer {
    char *name;                 /* name and settings, as given by the user */
    pen_chosen_balancer chosen; /* the balancer; .kind NULL: none */
    int ranks;
    void **states;        /* [ranks] state of the balancer on each rank */
    pen_notes notes;      /* notes of all nodes, by places */
    int64_t notes_room;   /* number of records for which the notes have memory */
    int64_t notes_places; /* number of records that the notes have */
    bool averages;        /* the nodes have average loads */
    pen_past *past;       /* [notes_places] average loads of the nodes */
    int64_t past_room;    /* number of average loads for which there is memory */
    bool averages_move;   /* the average loads move with the nodes */
    double *remembered;   /* [remembered_room] sums of the nodes' loads in `remembered_steps` steps, by places */
    int64_t remembered_room, remembered_steps;
} replay_balancer;

/* Open a balancer. Errors: those of pen_balancer_open. *balancer is empty on failure, and after it was closed. */
PEN_CHECKED pen_status pen_replay_balancer_open(const char *spec, int ranks, replay_balancer *balancer);
void pen_replay_balancer_close(replay_balancer *balancer);

/* Add `more` to the balancer's setting "seed", a PEN_OPTION_INT, if it has one; before its first plan. PEN_ERR_INPUT:
 * the sum is more than the setting may be. */
PEN_CHECKED pen_status pen_replay_balancer_reseed(replay_balancer *balancer, int more);

/* Make another balancer with the same settings, which knows the same loads of nodes, and nothing else. Errors: as
 * pen_replay_balancer_open. */
PEN_CHECKED pen_status pen_replay_balancer_copy(const replay_balancer *balancer, replay_balancer *copy);

/* Update the balancer's notes at the end of a step of the record; and after a change of its graph. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replay_balancer_step(replay_balancer *balancer, const pen_workload *record);
PEN_CHECKED pen_status pen_replay_balancer_change(replay_balancer *balancer, const pen_workload *record);

/* Bytes that moving a node ships, without its arcs. */
static inline int64_t pen_replay_node_bytes(const replay_balancer *balancer, const pen_workload *record)
{
    return pen_workload_node_bytes(record) + (int64_t)pen_notes_bytes(balancer->chosen.kind) +
           (balancer->averages_move ? (int64_t)sizeof *balancer->past : 0);
}

typedef struct replay_plan {
    int64_t count;
    int32_t *places, *to; /* [count] places of the nodes that change owners, and their new owners */
    int rounds;
    pen_evaluation evaluation; /* the evaluation; .load is rank 0's */
    double *loads;             /* [ranks] load of each rank after the plan */
    int64_t bytes, max_bytes;  /* bytes sent by all ranks, and the most bytes of one rank */
    double seconds;            /* seconds of planning */
} replay_plan;

/* Let the balancer make a plan for loads[places] and, if it `mixes`, for the mean remembered ones (steer.h); check it
 * and evaluate it. `facts` are those of the last step. No node moves. Failures of the balancer (an invalid plan:
 * PEN_ERR_INTERNAL), PEN_ERR_MEMORY; then *plan is empty. */
PEN_CHECKED pen_status pen_replay_plan_make(const replay_world *world, const replay_mutual *mutual,
                                            const replay_balancer *balancer, const replay_model *model,
                                            const double *loads, bool mixes, const pen_steer_facts *facts,
                                            replay_plan *plan);
void pen_replay_plan_free(replay_plan *plan);

/* Carry out a plan of the balancer. Sets made->moved_bytes, and adds the predicted time to made->seconds.
 * PEN_ERR_MEMORY: no node has moved. */
PEN_CHECKED pen_status pen_replay_plan_carry_out(replay_world *world, const replay_balancer *balancer,
                                                 const replay_model *model, const replay_plan *plan,
                                                 pen_balance_call *made);
