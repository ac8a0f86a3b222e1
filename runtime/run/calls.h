/* calls.h - calls of an application's functions for many nodes. */
#pragma once

#include "observe/observation.h"

/* Local. Compute the nodes of slots [first, end) by the phase's .node or .sweep. */
void pen_call_nodes(pen_view *view, const pen_phase *phase, pen_lid first, pen_lid end);

/* Local. Call `observe` for the nodes of slots [first, end). */
void pen_call_observe(pen_view *view, pen_observe_fn *observe, pen_observables *observables, pen_lid first,
                      pen_lid end);

/* Local. Compute the costs of the nodes of slots [first, end) into costs [end-first]. */
void pen_call_cost(pen_view *view, pen_cost_fn *cost, pen_lid first, pen_lid end, double *costs);
