/* search.h - the rounds of a plan: states that become better, of which the best is kept. */
#pragma once

#include "rebalance/diffusive/state.h"

/* The quality of a state, compared in this order. */
typedef struct plan_score {
    double excess; /* the heaviest load, at least that of the goal */
    double lack;   /* the largest deviation of a load from its target, at least that of the goal */
    double pieces; /* connected parts beyond one per rank */
    double cost;   /* cut edges, and a little for every moved node (plan_task.price) */
    double heaviest, off;
} plan_score;

/* The effort of a search. */
typedef struct plan_effort {
    int rounds;    /* largest number of rounds */
    int vain;      /* number of rounds in a row without improvement that end it */
    int reshapes;  /* number of the first rounds in which parts are reshaped before loads are balanced */
    bool thorough; /* it goes on when the goal is reached */
    bool first;    /* the state is the first of the plan */
} plan_effort;

/* A search and its result, without pointers, since it may be sent. */
typedef struct plan_task {
    plan_target target;
    double price; /* of a moved node, in cut edges */
    double most;  /* weight of the largest number of cut edges of a rank, times the number of ranks */
    plan_effort effort;
    int rounds;            /* number of rounds so far */
    plan_score first, now; /* scores of the first state of the plan, and of the best one so far */
} plan_task;

/* Whether a state is better than another one. */
bool pen_score_is_better(const plan_score *a, const plan_score *b);

/* Collective. Find the best state from the one where items->to says, which becomes items->to. PEN_ERR_MEMORY,
 * PEN_ERR_UNSUPPORTED (2^32 arcs). */
PEN_CHECKED pen_status pen_search(plan_team *team, const plan_items *items, plan_task *task);
