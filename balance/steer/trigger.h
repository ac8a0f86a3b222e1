/* trigger.h - when to balance: pure arithmetic on what all ranks know about a step, so that all decide alike.
 *
 * Lost time u = max - mean load of a step adds up since the last call; a call is worth considering once it
 * exceeds what a call costs. That is never worse than twice the best moment for a load that jumps, and the best
 * period for one that drifts (Menon, Jain, Zheng, Kale: Automated load balancing invocation based on application
 * characteristics, CLUSTER 2012). What keeps it from chasing loads that change faster than balancing pays is
 * the horizon: how long loads have stayed between shifts. Loads and costs are in one unit, seconds or declared. */
#ifndef PEN_TRIGGER_H
#define PEN_TRIGGER_H

#include <stdbool.h>
#include <stdint.h>

/* A step, as all ranks know it. */
typedef struct pen_step_load {
    int64_t steps; /* since the last one that was looked at; they pass for equal */
    double max, mean;
    double shift; /* sum over ranks of |load - expected load| / sum of loads; 0 where nothing was expected */
} pen_step_load;

enum { PEN_TRIGGER_MEMORY = 5 };

typedef struct pen_trigger {
    double lost;                         /* since the last call */
    int64_t last_shift;                  /* step; 0: the start */
    int64_t lengths[PEN_TRIGGER_MEMORY]; /* in steps, of the times between the last shifts */
    int shifts;
    int64_t patience, resume; /* after a plan that was not applied: no call before that step */
} pen_trigger;

/* Take note of step `step` (from 1 on), just done. Whether to make a plan now, `remaining` steps before the
 * end (INT64_MAX: unknown), where making one costs `decide` and carrying it out about `migrate`. */
bool pen_trigger_step(pen_trigger *trigger, int64_t step, const pen_step_load *load, int64_t remaining, double decide,
                      double migrate);

/* Steps that a plan made after `step` will probably serve, >= 1. */
double pen_trigger_horizon(const pen_trigger *trigger, int64_t step, int64_t remaining);

/* Whether a plan is worth it that brings the maximum from load->max to `max` and costs `migrate` to carry out. */
bool pen_trigger_accepts(const pen_trigger *trigger, int64_t step, const pen_step_load *load, int64_t remaining,
                         double max, double migrate);

/* What became of the plan after `step`. */
void pen_trigger_planned(pen_trigger *trigger, int64_t step, bool applied);

#endif
