/* trigger.h - decides when to balance: pure arithmetic on facts that all ranks know about a step, so that all decide
 * alike.
 *
 * Lost time u = max - mean load of a step adds up since the last call; a call is considered once it exceeds the cost of
 * a call. That is never worse than twice the best moment for a load that jumps, and the best period for one that drifts
 * (Menon, Jain, Zheng, Kale: Automated load balancing invocation based on application characteristics, CLUSTER 2012).
 * The horizon, the number of steps that loads have stayed between shifts, prevents calls if loads change faster than
 * balancing pays. Loads and costs are in one unit, seconds or declared units.
 *
 * A plan for one of two alternating loads puts nodes in the wrong places for the other, often worse than no plan. If
 * following shifts costs more than the steps between them, one shift is skipped as a trial, once following has cost as
 * much as the trial. If the loads return with the next shift, most of the loss is gone by itself: then one plan serves
 * both loads (check.h), is carried out if it is better for the two together, and nothing moves any more (rest). If they
 * do not return, they are followed again. Rest ends as soon as more is lost between two shifts than following them
 * would cost, which is the rule for renting skis (Karlin, Manasse, Rudolph, Sleator: Competitive snoopy caching,
 * Algorithmica 3, 1988), and never worse than twice the better of both. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The load of a step, as all ranks agree on it. */
typedef struct pen_step_load {
    int64_t steps; /* number of steps since the last examined one, which are taken to be equal */
    double max, mean;
    double shift; /* sum over ranks of |load - expected load| / sum of loads; 0 if no loads were expected */
} pen_step_load;

/* A finished step, as all ranks agree on it. */
typedef struct pen_steer_facts {
    int64_t step, remaining; /* number of finished steps; number of steps to come (INT64_MAX: unknown) */
    int ranks;
    /* Maximum and mean of the step's time: that of the slowest rank, summed over the phases, and the time if all ranks
     * took equally long. */
    pen_step_load load;
    double speed;           /* mean speed of the ranks */
    double total, heaviest; /* load of all nodes; time of the heaviest node on the fastest rank */
    double longest;         /* the largest time of a rank in the step, as if phases did not synchronise */
    double off;             /* the largest difference between a rank's time and the mean */
    bool by_average;        /* a plan is for the nodes' average loads */
    pen_step_load planned;  /* the loads that a plan is for, if it is for one load: `load`, or that of the averages */
    int64_t nodes;
    bool changed;          /* the graph has changed since the last examination */
    double base, per_node; /* estimated declared cost of a call, and of moving a node */

    /* Of a plan (pen_trigger_foresee): number of steps that it will probably serve; the time of a step if no node
     * moves, under the loads that the plan is for. */
    double horizon, stays;
} pen_steer_facts;

enum { PEN_TRIGGER_MEMORY = 5 };

/* Reaction to a shift: rebalance; skip one and observe the next; ignore. */
typedef enum pen_trigger_mode { PEN_TRIGGER_FOLLOWS, PEN_TRIGGER_WAITS, PEN_TRIGGER_RESTS } pen_trigger_mode;

typedef struct pen_trigger {
    double lost;                         /* time lost since the last call */
    int64_t last_shift;                  /* step of the last shift; 0: the start */
    int64_t lengths[PEN_TRIGGER_MEMORY]; /* numbers of steps between the last shifts */
    int shifts;
    /* After a plan that was not applied: number of steps without a call, which doubles each time; first step with a
     * call. */
    int64_t patience, resume;

    pen_trigger_mode mode;
    bool mixes; /* the plan that is wanted now must serve two loads: those before the shift and those after it */
    double since_shift;       /* time lost since the last shift */
    double between_shifts;    /* time lost between the last two shifts */
    double waited_max;        /* sum of facts.longest over the steps of waiting */
    double waited_lost;       /* sum of the lost times over the steps of waiting */
    int64_t waited;           /* number of steps of waiting */
    double spent;             /* cost of shifts, and of following them, since the last trial */
    double bearable;          /* while resting: the time that may be lost from shift to shift, as a mean of two */
    int64_t trials, next_try; /* number of trials so far; number of shifts before the next trial */
} pen_trigger;

/* Take note of a step (from 1 on), which has just finished. Whether to make a plan now, if making it and carrying it
 * out costs about `cost`. Sets what pen_trigger_foresee sets. */
bool pen_trigger_step(pen_trigger *trigger, pen_steer_facts *facts, double cost);

/* Set the facts about a plan made now: .horizon, >= 1, and .stays. A plan for average loads or for two loads serves all
 * remaining steps. With two loads, a step takes the mean of both times; of those before, phases are not known. */
void pen_trigger_foresee(const pen_trigger *trigger, pen_steer_facts *facts);

/* Whether a plan is worth it that brings the time of a step from facts->stays to `max` and costs `migrate` to carry
 * out. */
bool pen_trigger_accepts(const pen_steer_facts *facts, double max, double migrate);

/* Take note of the plan made after `step`. One that is applied ends a trial. */
void pen_trigger_planned(pen_trigger *trigger, int64_t step, bool applied);

/* Follow shifts again if a trial observes loads: those of nodes that have moved are no longer known. */
void pen_trigger_end_trial(pen_trigger *trigger);
