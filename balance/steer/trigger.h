/* trigger.h - when to balance: pure arithmetic on what all ranks know about a step, so that all decide alike.
 *
 * Lost time u = max - mean load of a step adds up since the last call; a call is worth considering once it
 * exceeds what a call costs. That is never worse than twice the best moment for a load that jumps, and the best
 * period for one that drifts (Menon, Jain, Zheng, Kale: Automated load balancing invocation based on application
 * characteristics, CLUSTER 2012). What keeps it from chasing loads that change faster than balancing pays is
 * the horizon: how long loads have stayed between shifts. Loads and costs are in one unit, seconds or declared.
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

/* A step, agreed by all ranks. */
typedef struct pen_step_load {
    int64_t steps; /* since the last one that was looked at; they pass for equal */
    double max, mean;
    double shift; /* sum over ranks of |load - expected load| / sum of loads; 0 where nothing was expected */
} pen_step_load;

enum { PEN_TRIGGER_MEMORY = 5 };

/* Reaction to a shift: rebalance; skip one and observe the next; ignore. */
typedef enum pen_trigger_mode { PEN_TRIGGER_FOLLOWS, PEN_TRIGGER_WAITS, PEN_TRIGGER_RESTS } pen_trigger_mode;

typedef struct pen_trigger {
    double lost;                         /* since the last call */
    int64_t last_shift;                  /* step; 0: the start */
    int64_t lengths[PEN_TRIGGER_MEMORY]; /* in steps, of the times between the last shifts */
    int shifts;
    int64_t patience, resume; /* after a plan that was not applied: no call before that step */

    pen_trigger_mode mode;
    bool mixes;               /* the plan that is wanted now is for the loads before the shift and for those after it */
    double since_shift;       /* lost since the last one, */
    double between_shifts;    /* and between the last two */
    double waited_max;        /* sums over the steps of waiting: of max, of what was lost */
    double waited_lost;       /* and of the steps, */
    int64_t waited;           /* which waited_max / waited has */
    double spent;             /* for shifts and following them, since the last trial */
    double bearable;          /* resting: what may be lost from shift to shift, in the mean of two */
    int64_t trials, next_try; /* so far; shifts that must have been before the next one */
} pen_trigger;

/* Take note of step `step` (from 1 on), just done. Whether to make a plan now, `remaining` steps before the
 * end (INT64_MAX: unknown), where making one costs `decide` and carrying it out about `migrate`. `average`: the maximum
 * and mean of the average loads that the plan is for; NULL: it is for the loads of the step. */
bool pen_trigger_step(pen_trigger *trigger, int64_t step, const pen_step_load *load, const pen_step_load *average,
                      int64_t remaining, double decide, double migrate);

/* What a step costs if nothing moves: the maximum, where the plan is for two loads the mean of both. */
double pen_trigger_stays(const pen_trigger *trigger, const pen_step_load *load);

/* Steps that a plan made after `step` will probably serve, >= 1; one for average loads serves all of them. */
double pen_trigger_horizon(const pen_trigger *trigger, int64_t step, int64_t remaining, bool by_average);

/* Whether a plan is worth it that brings the maximum from pen_trigger_stays to `max` and costs `migrate` to carry out.
 */
bool pen_trigger_accepts(const pen_trigger *trigger, int64_t step, const pen_step_load *load, int64_t remaining,
                         bool by_average, double max, double migrate);

/* What became of the plan after `step`. */
void pen_trigger_planned(pen_trigger *trigger, int64_t step, bool applied);
