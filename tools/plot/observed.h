/* observed.h - how what runs observe went over their steps. All Local. */
#ifndef PEN_PLOT_OBSERVED_H
#define PEN_PLOT_OBSERVED_H

#include "tools/plot/runs.h"

typedef struct curve {
    const run *of;
    char *title;
    double *values; /* [of->moments]; NAN: no finite number */
} curve;

/* The sums of observables that set->of names, "kinetic,potential,kinetic+potential", of every run, or where
 * set->relative their changes from their first values, by these. *curves [*count], run by run, and the range of their
 * values, *low < *high, are the caller's; pen_curves_free, also after a failure. PEN_ERR_INPUT where a run does not
 * observe this, has no steps or finite numbers, or begins with 0 and changes are asked for; PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_runs_curves(const run_set *set, curve **curves, int *count, double *low, double *high);
void pen_curves_free(curve *curves, int count);

#endif
