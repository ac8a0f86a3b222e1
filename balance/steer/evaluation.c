/* evaluation.c - computes the costs and benefits of a plan. */
#include "steer/evaluation.h"
#include "base/memory.h"
#include "view/quality.h"

#include <math.h>
#include <stdlib.h>

typedef struct shipment {
    int64_t nodes;
    double load, phases[PEN_LOAD_PHASES]; /* load of the node; its loads per phase, if there are several */
} shipment;

static int phases_of(const pen_load_view *view) { return view->phase_loads ? view->phases : 0; }

static void add_node(shipment *s, const pen_load_view *view, pen_lid node)
{
    s->nodes++;
    s->load += view->loads[node];
    for (int p = 0; p < phases_of(view); p++) s->phases[p] += view->phase_loads[(int64_t)node * view->phases + p];
}

typedef struct leaving {
    int32_t to;
    pen_lid node;
} leaving;

/* List the nodes that leave rank `mine`, in an order that does not depend on the order of the plan. */
static int64_t list_leaving(int mine, const pen_plan *plan, const pen_lid *places, leaving *nodes)
{
    int64_t count = 0;
    for (int64_t i = 0; i < plan->count; i++)
        if (plan->moves[i].to != mine) nodes[count++] = (leaving){ plan->moves[i].to, places[i] };
    qsort(nodes, (size_t)count, sizeof *nodes, pen_by_int32s);
    return count;
}

/* Sum the loads of leaving nodes for each destination, and send one message to each. */
static pen_status add_up(pen_peers *peers, int64_t count, const leaving *nodes, const pen_load_view *view,
                         const pen_parcels **send, shipment *out)
{
    int *ranks = NULL;
    shipment *shipments = NULL;
    int64_t groups = 0;
    pen_status status = PEN_ALLOC(&ranks, count);
    if (status == PEN_OK) status = PEN_ALLOC(&shipments, count);
    if (status == PEN_OK)
        for (int64_t i = 0; i < count; i++) {
            if (i == 0 || nodes[i].to != nodes[i - 1].to) {
                ranks[groups] = nodes[i].to;
                shipments[groups++] = (shipment){ .nodes = 0 };
            }
            add_node(&shipments[groups - 1], view, nodes[i].node);
            add_node(out, view, nodes[i].node);
        }
    if (status == PEN_OK) status = peers->group(peers, groups, ranks, shipments, sizeof *shipments, NULL, send);
    PEN_FREE_ALL(ranks, shipments);
    return status;
}

/* Collective. Exchange the loads of the nodes that this rank loses and gains. */
static pen_status ship(pen_peers *peers, const pen_load_view *view, const pen_plan *plan, const pen_lid *places,
                       shipment *out, shipment *in)
{
    leaving *nodes = NULL;
    const pen_parcels *send;
    const pen_blocks *received;
    pen_status status = PEN_ALLOC(&nodes, plan->count);
    if (status == PEN_OK)
        status = add_up(peers, list_leaving(peers->rank, plan, places, nodes), nodes, view, &send, out);
    free(nodes);
    if (status == PEN_OK) status = peers->exchange(peers, false, send, &received);
    if (status == PEN_OK)
        for (int i = 0; i < received->count; i++) {
            const shipment *s = (const shipment *)(const void *)(received->data + received->offsets[i]);
            in->nodes += s->nodes;
            in->load += s->load;
            for (int p = 0; p < phases_of(view); p++) in->phases[p] += s->phases[p];
        }
    return status;
}

pen_status pen_evaluation_shape(pen_peers *peers, const pen_load_view *view, const pen_plan *plan,
                                const pen_lid *places, pen_evaluation *evaluation)
{
    int32_t *to;
    PEN_TRY(PEN_ALLOC(&to, view->count));
    for (pen_lid i = 0; i < view->count; i++) to[i] = peers->rank;
    for (int64_t i = 0; i < plan->count; i++) to[places[i]] = plan->moves[i].to;
    pen_status status = pen_quality_of_plan(peers, view, to, &evaluation->cut, &evaluation->pieces);
    free(to);
    return status;
}

pen_status pen_evaluation_make(pen_peers *peers, const pen_load_view *view, const pen_plan *plan, const pen_lid *places,
                               double cpu_seconds, pen_evaluation *evaluation)
{
    shipment out = { .nodes = 0 }, in = { .nodes = 0 }, all = { .nodes = 0 };
    PEN_TRY(ship(peers, view, plan, places, &out, &in));
    for (pen_lid i = 0; i < view->count; i++) add_node(&all, view, i);
    double mine = all.load - out.load + in.load, most = (double)(out.nodes > in.nodes ? out.nodes : in.nodes);
    double takes = mine / view->speed;
    enum { SUMS = 4 };
    double sums[SUMS + PEN_PLAN_COUNTERS] = { (double)out.nodes, cpu_seconds, mine, view->speed };
    memcpy(sums + SUMS, plan->counts, sizeof plan->counts);
    enum { MAXIMA = 4 };
    double maxima[MAXIMA + PEN_LOAD_PHASES] = { takes, -takes, most, plan->regardless };
    for (int p = 0; p < phases_of(view); p++)
        maxima[MAXIMA + p] = (all.phases[p] - out.phases[p] + in.phases[p]) / view->speed;
    PEN_TRY(peers->reduce(peers, PEN_COUNT_OF(sums), sums, MAXIMA + phases_of(view), maxima));
    double mean = sums[2] / sums[3], slowest = phases_of(view) > 0 ? 0.0 : maxima[0];
    for (int p = 0; p < phases_of(view); p++) slowest += maxima[MAXIMA + p];
    *evaluation = (pen_evaluation){ .load = mine,
                                    .max = slowest,
                                    .off = fmax(maxima[0] - mean, mean + maxima[1]),
                                    .moved = (int64_t)sums[0],
                                    .max_moved = (int64_t)maxima[2],
                                    .regardless = maxima[3] > 0.0,
                                    .cpu_seconds = sums[1] };
    memcpy(evaluation->counts, sums + SUMS, sizeof evaluation->counts);
    return PEN_OK;
}
