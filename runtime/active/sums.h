/* sums.h - the observables after a step, from those after the step before and the nodes that see what has changed. */
#pragma once

#include "active/sets.h"

/* Local. The hook .contribute of the part. `state`: its pen_active_sets. */
bool pen_sums_contribute(pen_run *run, void *state, int evaluation, pen_observe_fn *observe);
