/* evaluation.c - computes the costs and benefits of a plan. */
#include "steer/evaluation.h"
#include "base/memory.h"
#include "view/quality.h"

#include <math.h>
#include <stdlib.h>

/* A plan, and the loads of its nodes. A node has `loads` of them: its load; its load in each phase, if there are
 * several; its other load, if the plan is for two. */
typedef struct proposal {
    const pen_load_view *view;
    const double *before; /* [view->count] the other loads, or NULL */
    const int32_t *to;    /* [view->count] ranks of the nodes after the plan */
    int phases, loads;    /* number of phases, 0 if there is only one; number of loads of a node */
} proposal;

static void add_node(const proposal *p, pen_lid node, double *loads)
{
    loads[0] += p->view->loads[node];
    for (int k = 0; k < p->phases; k++) loads[1 + k] += p->view->phase_loads[(int64_t)node * p->phases + k];
    if (p->before) loads[1 + p->phases] += p->before[node];
}

/* Collective. Sum the loads of the nodes that this rank has after the plan, in an order that does not depend on the
 * order of the plan; and count the nodes that leave and those that come. */
static pen_status find_loads(pen_peers *peers, const proposal *p, double *loads, int64_t *out, int64_t *in)
{
    const int64_t size = (int64_t)p->loads * (int64_t)sizeof *loads;
    const pen_parcels *send = NULL;
    const pen_blocks *received = NULL;
    int *ranks = NULL;
    double *leaving = NULL;
    for (pen_lid i = 0; i < p->view->count; i++) *out += p->to[i] != peers->rank;
    pen_status status = PEN_ALLOC(&ranks, *out);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&leaving, *out * p->loads);
    for (int64_t i = 0, at = 0; status == PEN_OK && i < p->view->count; i++) {
        const bool stays = p->to[i] == peers->rank;
        add_node(p, (pen_lid)i, stays ? loads : leaving + at * p->loads);
        if (!stays) ranks[at++] = p->to[i];
    }
    if (status == PEN_OK) status = peers->group(peers, *out, ranks, leaving, (size_t)size, NULL, &send);
    PEN_FREE_ALL(ranks, leaving);
    PEN_TRY(status);
    PEN_TRY(peers->exchange(peers, false, send, &received));
    const double *arriving = (const double *)(const void *)received->data;
    *in = received->count > 0 ? received->offsets[received->count] / size : 0;
    for (int64_t i = 0; i < *in * p->loads; i++) loads[i % p->loads] += arriving[i];
    return PEN_OK;
}

/* The time of a step: the maximum, or the sum of those of the phases; with other loads, the mean of both times. */
static double time_of(const proposal *p, const double *maxima)
{
    double time = p->phases > 0 ? 0.0 : maxima[0];
    for (int k = 0; k < p->phases; k++) time += maxima[1 + k];
    return p->before ? 0.5 * (time + maxima[1 + p->phases]) : time;
}

static pen_status evaluate(pen_peers *peers, const pen_steer_facts *facts, const proposal *p, const pen_plan *plan,
                           double cpu_seconds, pen_evaluation *e)
{
    const double speed = p->view->speed;
    double loads[1 + PEN_LOAD_PHASES + 1] = { 0.0 };
    int64_t out = 0, in = 0;
    PEN_TRY(find_loads(peers, p, loads, &out, &in));
    enum { SUMS = 4, MAXIMA = 3 };
    double sums[SUMS + PEN_PLAN_COUNTERS] = { (double)out, cpu_seconds, loads[0], speed };
    double maxima[MAXIMA + PEN_COUNT_OF(loads)] = { -loads[0] / speed, (double)(out > in ? out : in),
                                                    plan->regardless };
    memcpy(sums + SUMS, plan->counts, sizeof plan->counts);
    for (int k = 0; k < p->loads; k++) maxima[MAXIMA + k] = loads[k] / speed;
    PEN_TRY(peers->reduce(peers, PEN_COUNT_OF(sums), sums, MAXIMA + p->loads, maxima));
    const double mean = sums[2] / sums[3];
    *e = (pen_evaluation){ .load = loads[0],
                           .max = time_of(p, maxima + MAXIMA),
                           .off = fmax(maxima[MAXIMA] - mean, mean + maxima[0]),
                           .moved = (int64_t)sums[0],
                           .max_moved = (int64_t)maxima[1],
                           .regardless = maxima[2] > 0.0,
                           .cpu_seconds = sums[1] };
    memcpy(e->counts, sums + SUMS, sizeof e->counts);
    e->hesitates = e->moved > 0 && !e->regardless && fabs(e->max - facts->stays) <= PEN_SAME_TIME * facts->stays &&
                   e->off >= (1.0 - PEN_SAME_TIME) * facts->off;
    return e->hesitates ? pen_quality_of_plan(peers, p->view, p->to, &e->cut, &e->pieces) : PEN_OK;
}

pen_status pen_evaluation_make(pen_peers *peers, const pen_steer_facts *facts, const pen_load_view *view,
                               const double *before, const pen_plan *plan, const pen_lid *places, double cpu_seconds,
                               pen_evaluation *e)
{
    const int phases = view->phase_loads ? view->phases : 0;
    int32_t *to;
    PEN_TRY(PEN_ALLOC(&to, view->count));
    for (pen_lid i = 0; i < view->count; i++) to[i] = peers->rank;
    for (int64_t i = 0; i < plan->count; i++) to[places[i]] = plan->moves[i].to;
    const proposal p = { view, before, to, phases, 1 + phases + (before != NULL) };
    pen_status status = evaluate(peers, facts, &p, plan, cpu_seconds, e);
    free(to);
    return status;
}
