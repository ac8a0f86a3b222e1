/* calls.c - calls an application's functions node by node, or once for a sweep. */
#include "run/calls.h"

void pen_call_nodes(pen_view *view, pen_node_fn *node, pen_lid first, pen_lid end)
{
    pen_sweeping sweeping = { .end = end };
    view->sweeping = &sweeping;
    for (pen_lid slot = first; slot < end && !sweeping.done; slot++) {
        view->slot = slot;
        node(view);
    }
    view->sweeping = NULL;
}

void pen_call_observe(pen_view *view, pen_observe_fn *observe, pen_observables *observables, pen_lid first, pen_lid end)
{
    pen_sweeping sweeping = { .end = end };
    view->sweeping = &sweeping;
    for (pen_lid slot = first; slot < end && !sweeping.done; slot++) {
        view->slot = slot;
        observe(view, &observables->given);
    }
    view->sweeping = NULL;
}

void pen_call_cost(pen_view *view, double (*cost)(const pen_view *v), pen_lid first, pen_lid end, double *costs)
{
    pen_sweeping sweeping = { .end = end, .costs = costs };
    view->sweeping = &sweeping;
    for (pen_lid slot = first; slot < end && !sweeping.done; slot++) {
        view->slot = slot;
        double one = cost(view);
        if (!sweeping.done) costs[slot - first] = one;
    }
    view->sweeping = NULL;
}
