/* replay_plan.h - a call of a balancer in a replay, on virtual ranks with the views of a run. All Local. */
#pragma once

#include "balance/registry.h"
#include "steer/steer.h"
#include "tools/sim/replay_time.h"
#include "tools/sim/replay_views.h"
#include "view/notes.h"

/* A balancer and its state on each rank. */
typedef struct replay_balancer {
    char *name;                 /* as it was named */
    pen_chosen_balancer chosen; /* .kind NULL: none */
    int ranks;
    void **states;        /* [ranks] */
    pen_notes notes;      /* of all nodes, by places */
    int64_t notes_room;   /* that they have memory for, and */
    int64_t notes_places; /* that there are */
    bool averages;        /* the nodes have average loads, */
    pen_past *past;       /* [notes_places] these, */
    int64_t past_room;
    bool averages_move; /* which move with them */
} replay_balancer;

/* Errors: those of pen_balancer_open. *balancer is empty on failure, and after it was closed. */
PEN_CHECKED pen_status pen_replay_balancer_open(const char *spec, int ranks, replay_balancer *balancer);
void pen_replay_balancer_close(replay_balancer *balancer);

/* Before its first plan: add `more` to the balancer's setting "seed", a PEN_OPTION_INT, if it has one. PEN_ERR_INPUT:
 * that is more than the setting may be. */
PEN_CHECKED pen_status pen_replay_balancer_reseed(replay_balancer *balancer, int more);

/* Another one, which knows the same loads of nodes, and nothing else. Errors as above. */
PEN_CHECKED pen_status pen_replay_balancer_copy(const replay_balancer *balancer, replay_balancer *copy);

/* The record has come to the end of a step; or its graph has changed. The balancer's notes follow. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_replay_balancer_step(replay_balancer *balancer, const pen_workload *record);
PEN_CHECKED pen_status pen_replay_balancer_change(replay_balancer *balancer, const pen_workload *record);

/* Bytes that moving a node ships, without its arcs. */
static inline int64_t pen_replay_node_bytes(const replay_balancer *balancer, const pen_workload *record)
{
    return pen_workload_node_bytes(record) + (int64_t)pen_notes_bytes(balancer->chosen.kind) +
           (balancer->averages_move ? (int64_t)sizeof *balancer->past : 0);
}

/* The input of a plan. */
typedef struct replay_question {
    int64_t step;           /* steps done */
    double horizon;         /* steps that it will probably serve */
    const double *loads;    /* [places] that the plan is for */
    const double *before;   /* [places] the earlier loads of a plan for two loads (steer.h), else NULL */
    const pen_steer *steer; /* evaluates the plan with these facts: */
    const pen_steer_facts *facts;
} replay_question;

typedef struct replay_plan {
    int64_t count;
    int32_t *places, *to; /* [count] nodes that change owners */
    int rounds;
    pen_evaluation evaluation; /* .load is rank 0's */
    double *loads;             /* [ranks] after the plan */
    int64_t bytes, max_bytes;  /* sent by all ranks, and the most by one */
    double seconds;            /* of planning */
} replay_plan;

/* Let the balancer make a plan, check it and evaluate it. Nothing moves. Failures of the balancer (an invalid plan:
 * PEN_ERR_INTERNAL), PEN_ERR_MEMORY; then *plan is empty. */
PEN_CHECKED pen_status pen_replay_plan_make(const replay_world *world, const replay_mutual *mutual,
                                            const replay_balancer *balancer, const replay_model *model,
                                            const replay_question *question, replay_plan *plan);
void pen_replay_plan_free(replay_plan *plan);

/* Shipped bytes and predicted time of carrying out a plan. */
typedef struct replay_migration {
    int64_t bytes;
    double seconds;
} replay_migration;

/* Carry out a plan of the balancer. PEN_ERR_MEMORY: nothing has moved. */
PEN_CHECKED pen_status pen_replay_plan_carry_out(replay_world *world, const replay_balancer *balancer,
                                                 const replay_model *model, const replay_plan *plan,
                                                 replay_migration *migration);
