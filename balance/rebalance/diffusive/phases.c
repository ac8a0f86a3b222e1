/* phases.c - plans for several loads of every node, those of the phases of a step. */
#include "rebalance/diffusive/phases.h"
#include "base/memory.h"
#include "rebalance/diffusive/constants.h"
#include "rebalance/diffusive/deal.h"

#include <math.h>

enum { PHASES = PEN_LOAD_PHASES };

/* Phases form groups: phases of one group have their loads on the same nodes. A node belongs to the group of whose load
 * it has the greatest share, and is placed with that group. */
typedef struct phases {
    phase_planner *plan;
    const void *context;
    const pen_load_view *view;
    pen_peers *peers;
    int count, groups;
    int group[PHASES];     /* group of each phase */
    int order[PHASES];     /* groups in order, beginning with the fewest nodes */
    double ideal;          /* time of a step, if all ranks were equally busy in all phases */
    double placed[PHASES]; /* this rank's load in each phase from the placed nodes */
    signed char *group_of; /* [view->count] group of each node */
} phases;

static const double *loads_of(const phases *p, pen_lid node) { return p->view->phase_loads + (int64_t)node * p->count; }

static double load_in(const phases *p, pen_lid node, int group)
{
    double load = 0.0;
    for (int k = 0; k < p->count; k++)
        if (p->group[k] == group) load += loads_of(p, node)[k];
    return load;
}

/* Collective. Phases with nearly proportional loads form a group: the cosine of their loads, as vectors over all nodes,
 * is at least ALIKE. */
static pen_status find_groups(phases *p, double *totals)
{
    double sums[PHASES * PHASES + PHASES + 1] = { 0.0 }, *products = sums + PHASES + 1;
    for (pen_lid i = 0; i < p->view->count; i++)
        for (int a = 0; a < p->count; a++) {
            const double *loads = loads_of(p, i);
            sums[a] += loads[a];
            for (int b = 0; b <= a && loads[a] > 0.0; b++) products[a * PHASES + b] += loads[a] * loads[b];
        }
    sums[PHASES] = p->view->speed;
    PEN_TRY(p->peers->reduce(p->peers, PHASES * PHASES + PHASES + 1, sums, 0, NULL));
    p->groups = 0;
    p->ideal = 0.0;
    for (int a = 0; a < p->count; a++) {
        totals[a] = sums[a];
        p->ideal += sums[a] / sums[PHASES];
        p->group[a] = sums[a] > 0.0 ? -1 : 0;
        for (int b = 0; b < a && p->group[a] < 0; b++) {
            const double both = products[a * PHASES + a] * products[b * PHASES + b];
            if (both > 0.0 && products[a * PHASES + b] >= ALIKE * sqrt(both)) p->group[a] = p->group[b];
        }
        if (p->group[a] < 0) p->group[a] = p->groups++;
    }
    return PEN_OK;
}

/* Collective. */
static pen_status assign_nodes(phases *p, const double *totals)
{
    double of_group[PHASES] = { 0.0 }, nodes[PHASES] = { 0.0 };
    for (int k = 0; k < p->count; k++) of_group[p->group[k]] += totals[k];
    for (pen_lid i = 0; i < p->view->count; i++) {
        double most = -1.0;
        for (int g = 0; g < p->groups; g++) {
            const double share = of_group[g] > 0.0 ? load_in(p, i, g) / of_group[g] : 0.0;
            if (share > most) p->group_of[i] = (signed char)g;
            most = fmax(most, share);
        }
        nodes[p->group_of[i]] += 1.0;
    }
    PEN_TRY(p->peers->reduce(p->peers, p->groups, nodes, 0, NULL));
    for (int g = 0; g < p->groups; g++) {
        int at = g;
        for (; at > 0 && nodes[p->order[at - 1]] > nodes[g]; at--) p->order[at] = p->order[at - 1];
        p->order[at] = g;
    }
    return PEN_OK;
}

/* Collective. Place the nodes of a group (-1: all) on the ranks to[]. */
static pen_status place(phases *p, int group, const int32_t *to)
{
    const size_t bytes = (size_t)p->count * sizeof(double);
    double *loads = NULL;
    int *ranks = NULL;
    int64_t count = 0, room = 0;
    const pen_parcels *send;
    const pen_blocks *received;
    for (pen_lid i = 0; i < p->view->count; i++) room += to[i] != p->peers->rank;
    pen_status status = PEN_ALLOC(&ranks, room);
    if (status == PEN_OK) status = PEN_ALLOC(&loads, room * p->count);
    for (pen_lid i = 0; i < p->view->count && status == PEN_OK; i++) {
        if (group >= 0 && p->group_of[i] != group) continue;
        if (to[i] == p->peers->rank) {
            for (int k = 0; k < p->count; k++) p->placed[k] += loads_of(p, i)[k];
            continue;
        }
        memcpy(loads + count * p->count, loads_of(p, i), bytes);
        ranks[count++] = to[i];
    }
    if (status == PEN_OK) status = p->peers->group(p->peers, count, ranks, loads, bytes, NULL, &send);
    if (status == PEN_OK) status = p->peers->exchange(p->peers, false, send, &received);
    for (int b = 0; status == PEN_OK && b < received->count; b++)
        for (int64_t at = received->offsets[b]; at < received->offsets[b + 1]; at += (int64_t)bytes)
            for (int k = 0; k < p->count; k++) p->placed[k] += ((const double *)(const void *)(received->data + at))[k];
    PEN_FREE_ALL(ranks, loads);
    return status;
}

/* Collective. The time of a step when all nodes are placed. */
static pen_status score(phases *p, double *time)
{
    double maxima[PHASES];
    for (int k = 0; k < p->count; k++) maxima[k] = p->placed[k] / p->view->speed;
    PEN_TRY(p->peers->reduce(p->peers, 0, NULL, p->count, maxima));
    *time = 0.0;
    for (int k = 0; k < p->count; k++) *time += maxima[k];
    memset(p->placed, 0, sizeof p->placed);
    return PEN_OK;
}

/* Collective. Make the plan for the sums. */
static pen_status plan_sums(phases *p, int32_t *to, int *rounds, double *time)
{
    pen_load_view asked = *p->view;
    asked.phases = 1;
    asked.phase_loads = NULL;
    PEN_TRY(p->plan(p->context, &asked, p->peers, 0.0, to, rounds));
    PEN_TRY(place(p, -1, to));
    return score(p, time);
}

/* This rank's load in the phases of a group from the placed nodes. */
static double placed_in(const phases *p, int group)
{
    double load = 0.0;
    for (int k = 0; k < p->count; k++)
        if (p->group[k] == group) load += p->placed[k];
    return load;
}

/* Collective. The plan for the nodes of a group: flows between neighbours. A group's load can be on few ranks, so that
 * flows do not reach all others; then load is dealt out from any rank to any other. */
static pen_status plan_group(phases *p, int group, double *loads, int32_t *part, int *rounds)
{
    pen_load_view asked = *p->view;
    const double fixed = placed_in(p, group);
    double before[PHASES], sums[2] = { 0.0, p->view->speed };
    asked.loads = loads;
    asked.phases = 1;
    asked.phase_loads = NULL;
    memcpy(before, p->placed, sizeof before);
    for (pen_lid i = 0; i < p->view->count; i++) loads[i] = p->group_of[i] == group ? load_in(p, i, group) : 0.0;
    PEN_TRY(p->plan(p->context, &asked, p->peers, fixed, part, rounds));
    PEN_TRY(place(p, group, part));
    sums[0] = placed_in(p, group);
    double most = sums[0] / p->view->speed;
    PEN_TRY(p->peers->reduce(p->peers, 2, sums, 1, &most));
    if (most <= REACHED * sums[0] / sums[1]) return PEN_OK;
    memcpy(p->placed, before, sizeof before);
    PEN_TRY(pen_deal_out(&asked, loads, fixed, p->peers, part));
    return place(p, group, part);
}

/* Collective. Plan for one group after the other. */
static pen_status plan_groups(phases *p, double *loads, int32_t *part, int32_t *to, int *rounds, double *time)
{
    for (int n = 0; n < p->groups; n++) {
        int more = 0;
        PEN_TRY(plan_group(p, p->order[n], loads, part, &more));
        for (pen_lid i = 0; i < p->view->count; i++)
            if (p->group_of[i] == p->order[n]) to[i] = part[i];
        *rounds += more;
    }
    return score(p, time);
}

static pen_status plan_both(phases *p, int32_t *to, int *rounds)
{
    double totals[PHASES], together, apart;
    double *loads = NULL;
    int32_t *part = NULL, *grouped = NULL;
    PEN_TRY(plan_sums(p, to, rounds, &together));
    PEN_TRY(find_groups(p, totals));
    if (p->groups < 2 || together <= BALANCED * p->ideal) return PEN_OK;
    pen_status status = PEN_ALLOC(&p->group_of, p->view->count);
    if (status == PEN_OK) status = PEN_ALLOC(&loads, p->view->count);
    if (status == PEN_OK) status = PEN_ALLOC(&part, p->view->count);
    if (status == PEN_OK) status = PEN_ALLOC(&grouped, p->view->count);
    if (status == PEN_OK) status = assign_nodes(p, totals);
    if (status == PEN_OK) status = plan_groups(p, loads, part, grouped, rounds, &apart);
    if (status == PEN_OK && apart < SHORTER * together)
        for (pen_lid i = 0; i < p->view->count; i++) to[i] = grouped[i];
    PEN_FREE_ALL(p->group_of, loads, part, grouped);
    return status;
}

pen_status pen_phases_plan(phase_planner *plan, const void *context, const pen_load_view *view, pen_peers *peers,
                           int32_t *to, int *rounds)
{
    if (view->phases < 2 || !view->phase_loads) return plan(context, view, peers, 0.0, to, rounds);
    phases p = { .plan = plan, .context = context, .view = view, .peers = peers, .count = view->phases };
    return plan_both(&p, to, rounds);
}
