#include "view/ask.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* Which of the two plans a node of these loads belongs to. */
static bool is_of_now(double now, double before) { return now > before; }

/* Collective. The plan for one of two loads, of its own nodes only, behind the moves that are in *plan. */
static pen_status add_plan(const pen_balancer *balancer, void *state, const pen_load_view *view, const double *before,
                           bool of_now, pen_peers *peers, pen_find_fn *find, const void *context, pen_plan *plan,
                           pen_lid *nodes)
{
    pen_load_view asked = *view;
    pen_plan part = { .moves = NULL };
    pen_lid *part_nodes = NULL;
    double *loads = NULL;
    pen_status status = PEN_ALLOC(&part.moves, view->count);
    if (status == PEN_OK) status = PEN_ALLOC(&part_nodes, view->count);
    if (status == PEN_OK) status = PEN_ALLOC(&loads, view->count);
    for (pen_lid i = 0; status == PEN_OK && i < view->count; i++) {
        bool weighs = is_of_now(view->loads[i], before[i]) == of_now;
        loads[i] = weighs ? fmax(view->loads[i], before[i]) : 0.0;
    }
    asked.loads = loads;
    if (status == PEN_OK) status = balancer->plan(state, &asked, peers, &part);
    if (status == PEN_OK) status = pen_plan_check(&part, view->count, peers, find, context, part_nodes);
    for (int64_t i = 0; status == PEN_OK && i < part.count; i++) {
        pen_lid node = part_nodes[i];
        if (is_of_now(view->loads[node], before[node]) != of_now) continue;
        nodes[plan->count] = node;
        plan->moves[plan->count++] = part.moves[i];
    }
    plan->rounds += part.rounds;
    plan->regardless = plan->regardless || part.regardless;
    PEN_FREE_ALL(part.moves, part_nodes, loads);
    return status;
}

pen_status pen_plan_ask(const pen_balancer *balancer, void *state, const pen_load_view *view, const double *before,
                        pen_peers *peers, pen_find_fn *find, const void *context, pen_plan *plan, pen_lid *nodes)
{
    if (before) {
        PEN_TRY(add_plan(balancer, state, view, before, true, peers, find, context, plan, nodes));
        return add_plan(balancer, state, view, before, false, peers, find, context, plan, nodes);
    }
    PEN_TRY(balancer->plan(state, view, peers, plan));
    return pen_plan_check(plan, view->count, peers, find, context, nodes);
}
