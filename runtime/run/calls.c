/* calls.c - calls an application's functions for many nodes. */
#include "run/calls.h"

void pen_call_nodes(pen_view *view, const pen_phase *phase, pen_lid first, pen_lid end)
{
    if (first == end) return;
    view->slot = first;
    if (phase->sweep) phase->sweep(view, end);
    else
        for (; view->slot < end; view->slot++) phase->node(view);
}

void pen_call_observe(pen_view *view, pen_observe_fn *observe, pen_observables *observables, pen_lid first, pen_lid end)
{
    view->slot = first;
    observe(view, end, &observables->given);
}

void pen_call_cost(pen_view *view, pen_cost_fn *cost, pen_lid first, pen_lid end, double *costs)
{
    view->slot = first;
    cost(view, end, costs);
}
