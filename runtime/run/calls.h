/* calls.h - calls of an application's functions for many nodes: node by node, or once if the function is a sweep
 * (PEN_SWEEP). */
#pragma once

#include "observe/observation.h"

/* Local. Call `node` for the nodes of slots [first, end). */
void pen_call_nodes(pen_view *view, pen_node_fn *node, pen_lid first, pen_lid end);

/* Local. Call `observe` for the nodes of slots [first, end). */
void pen_call_observe(pen_view *view, pen_observe_fn *observe, pen_observables *observables, pen_lid first,
                      pen_lid end);

/* Local. Compute the costs of the nodes of slots [first, end) into costs [end-first]. */
void pen_call_cost(pen_view *view, double (*cost)(const pen_view *v), pen_lid first, pen_lid end, double *costs);
