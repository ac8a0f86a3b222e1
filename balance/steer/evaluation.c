#include "steer/evaluation.h"
#include "base/memory.h"
#include "view/quality.h"

#include <math.h>
#include <stdlib.h>

typedef struct shipment {
    int64_t nodes;
    double load;
} shipment;

typedef struct leaving {
    int32_t to;
    pen_lid node;
} leaving;

/* Those that leave rank `mine`, in one order whatever the plan's is. */
static int64_t list_leaving(int mine, const pen_plan *plan, const pen_lid *places, leaving *nodes)
{
    int64_t count = 0;
    for (int64_t i = 0; i < plan->count; i++)
        if (plan->moves[i].to != mine) nodes[count++] = (leaving){ plan->moves[i].to, places[i] };
    qsort(nodes, (size_t)count, sizeof *nodes, pen_by_int32s);
    return count;
}

/* One shipment per destination. */
static pen_status add_up(pen_peers *peers, int64_t count, const leaving *nodes, const double *loads,
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
                shipments[groups++] = (shipment){ 0, 0.0 };
            }
            double load = loads[nodes[i].node];
            shipments[groups - 1].nodes++;
            shipments[groups - 1].load += load;
            out->nodes++;
            out->load += load;
        }
    if (status == PEN_OK) status = peers->group(peers, groups, ranks, shipments, sizeof *shipments, NULL, send);
    PEN_FREE_ALL(ranks, shipments);
    return status;
}

/* Collective. What this rank loses and gains. */
static pen_status ship(pen_peers *peers, const pen_load_view *view, const pen_plan *plan, const pen_lid *places,
                       shipment *out, shipment *in)
{
    leaving *nodes = NULL;
    const pen_parcels *send;
    const pen_blocks *received;
    pen_status status = PEN_ALLOC(&nodes, plan->count);
    if (status == PEN_OK)
        status = add_up(peers, list_leaving(peers->rank, plan, places, nodes), nodes, view->loads, &send, out);
    free(nodes);
    if (status == PEN_OK) status = peers->exchange(peers, false, send, &received);
    if (status == PEN_OK)
        for (int i = 0; i < received->count; i++) {
            const shipment *s = (const shipment *)(const void *)(received->data + received->offsets[i]);
            in->nodes += s->nodes;
            in->load += s->load;
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
    shipment out = { 0, 0.0 }, in = { 0, 0.0 };
    double load = 0.0;
    PEN_TRY(ship(peers, view, plan, places, &out, &in));
    for (pen_lid i = 0; i < view->count; i++) load += view->loads[i];
    double mine = load - out.load + in.load, most = (double)(out.nodes > in.nodes ? out.nodes : in.nodes);
    double takes = mine / view->speed;
    double sums[4] = { (double)out.nodes, cpu_seconds, mine, view->speed };
    double maxima[4] = { takes, -takes, most, plan->regardless };
    PEN_TRY(peers->reduce(peers, 4, sums, 4, maxima));
    double mean = sums[2] / sums[3];
    *evaluation = (pen_evaluation){ .load = mine,
                                    .max = maxima[0],
                                    .off = fmax(maxima[0] - mean, mean + maxima[1]),
                                    .moved = (int64_t)sums[0],
                                    .max_moved = (int64_t)maxima[2],
                                    .regardless = maxima[3] > 0.0,
                                    .cpu_seconds = sums[1] };
    return PEN_OK;
}
