/* check.c - checks plans, and asks balancers for them. */
#include "view/check.h"
#include "base/memory.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* Collective. Ask the balancer for a plan, which it writes into the caller's array of moves. */
static pen_status make_plan(const pen_balancer *balancer, void *state, const pen_load_view *view, pen_peers *peers,
                            pen_plan *plan)
{
    pen_move *const moves = plan->moves;
    for (pen_lid i = 0; i < view->count; i++) moves[i] = (pen_move){ -1, -1 }; /* wrong, where the balancer sets none */
    const pen_status status = balancer->plan(state, view, peers, plan);
    const bool replaced = plan->moves != moves;
    plan->moves = moves; /* which the caller frees */
    return status == PEN_OK && replaced ? pen_fail(PEN_ERR_INTERNAL, "it replaces the array of moves") : status;
}

/* Whether a node belongs to the plan for the present loads, of two plans for alternating loads. */
static bool is_of_now(double now, double before) { return now > before; }

/* Collective. Make the plan for one of two loads, with the moves of the nodes that weigh more in it, and append it to
 * *plan. */
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
    asked.phases = 1;
    asked.phase_loads = NULL;
    if (status == PEN_OK) status = make_plan(balancer, state, &asked, peers, &part);
    if (status == PEN_OK) status = pen_plan_check(&part, view->count, peers, find, context, part_nodes);
    for (int64_t i = 0; status == PEN_OK && i < part.count; i++) {
        pen_lid node = part_nodes[i];
        if (is_of_now(view->loads[node], before[node]) != of_now) continue;
        nodes[plan->count] = node;
        plan->moves[plan->count++] = part.moves[i];
    }
    for (int i = 0; i < PEN_PLAN_COUNTERS; i++) plan->counts[i] += part.counts[i];
    plan->rounds += part.rounds < INT_MAX - plan->rounds ? part.rounds : INT_MAX - plan->rounds;
    plan->regardless = plan->regardless || part.regardless;
    PEN_FREE_ALL(part.moves, part_nodes, loads);
    return status;
}

/* Collective. Ask the balancer for a plan, with a view that has its notes. */
static pen_status ask(const pen_balancer *balancer, void *state, const pen_load_view *view, const double *before,
                      pen_peers *peers, pen_find_fn *find, const void *context, pen_plan *plan, pen_lid *nodes)
{
    if (before) {
        PEN_TRY(add_plan(balancer, state, view, before, true, peers, find, context, plan, nodes));
        return add_plan(balancer, state, view, before, false, peers, find, context, plan, nodes);
    }
    PEN_TRY(make_plan(balancer, state, view, peers, plan));
    return pen_plan_check(plan, view->count, peers, find, context, nodes);
}

pen_status pen_plan_ask(const pen_balancer *balancer, void *state, const pen_load_view *view, const double *before,
                        const pen_notes *notes, pen_peers *peers, pen_find_fn *find, const void *context,
                        pen_plan *plan, pen_lid *nodes)
{
    pen_load_view noted = *view;
    PEN_TRY(pen_notes_show(balancer, notes, &noted));
    pen_status status = ask(balancer, state, &noted, before, peers, find, context, plan, nodes);
    pen_notes_hide(balancer, notes, &noted);
    return status;
}

static pen_status check_move(const pen_move *move, pen_lid node, const pen_peers *peers, bool *seen)
{
    if (node < 0)
        return pen_fail(PEN_ERR_INTERNAL, "it moves node %" PRIgid ", which is not of rank %d", move->gid, peers->rank);
    if (move->to < 0 || move->to >= peers->size)
        return pen_fail(PEN_ERR_INTERNAL, "it moves node %" PRIgid " to rank %" PRId32 " of %d", move->gid, move->to,
                        peers->size);
    if (seen[node]) return pen_fail(PEN_ERR_INTERNAL, "it moves node %" PRIgid " twice", move->gid);
    seen[node] = true;
    return PEN_OK;
}

pen_status pen_plan_check(const pen_plan *plan, pen_lid count, const pen_peers *peers, pen_find_fn *find,
                          const void *context, pen_lid *nodes)
{
    if (plan->count < 0 || plan->count > count)
        return pen_fail(PEN_ERR_INTERNAL, "it has %" PRId64 " moves of %" PRIlid " nodes", plan->count, count);
    if (plan->rounds < 0) return pen_fail(PEN_ERR_INTERNAL, "it has %d rounds", plan->rounds);
    for (int i = 0; i < PEN_PLAN_COUNTERS; i++)
        if (!isfinite(plan->counts[i])) return pen_fail(PEN_ERR_INTERNAL, "its counter %d is %g", i, plan->counts[i]);
    bool *seen;
    PEN_TRY(PEN_ALLOC_ZERO(&seen, count));
    pen_status status = PEN_OK;
    for (int64_t i = 0; status == PEN_OK && i < plan->count; i++) {
        nodes[i] = find(context, plan->moves[i].gid);
        status = check_move(&plan->moves[i], nodes[i], peers, seen);
    }
    free(seen);
    return status;
}

void pen_plan_fill(pen_plan *plan, const pen_load_view *view, int rank, const int32_t *to)
{
    for (pen_lid i = 0; i < view->count; i++)
        if (to[i] != rank) plan->moves[plan->count++] = (pen_move){ view->gids[i], to[i] };
}

pen_lid pen_parts_check(pen_lid count, const int32_t *part, int parts)
{
    for (pen_lid i = 0; i < count; i++)
        if (part[i] < 0 || part[i] >= parts) return i;
    return -1;
}
