/* sums.h - the observables after a step, from those after the step before and the nodes that see what has changed. */
#pragma once

#include "active/sets.h"

/* Local. Let this rank's nodes contribute to the observables of an evaluation, as pen_contribute. */
void pen_sums_contribute(pen_run *run, pen_active_sets *a, int evaluation, pen_observe_fn *observe);
