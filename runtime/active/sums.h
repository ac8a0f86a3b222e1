/* sums.h - the observables after a step, from those after the step before and the nodes that were computed. All Local.
 */
#pragma once

#include "active/sets.h"

/* The nodes of slots [first, end) are about to be computed: their contributions are lost. */
void pen_sums_lift(pen_run *run, pen_kept_sums *sums, pen_lid first, pen_lid end);

/* Let this rank's nodes contribute to the observables of an evaluation, as pen_contribute. */
void pen_sums_contribute(pen_run *run, pen_active_sets *a, int evaluation, pen_observe_fn *observe);
