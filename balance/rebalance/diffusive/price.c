/* price.c - computes the cost of a cut edge by the processors of its ends. */
#include "rebalance/diffusive/price.h"
#include "base/status.h"

#include <math.h>

pen_status pen_network_find(const pen_load_view *view, pen_peers *peers, diffusive_network *network)
{
    const pen_machine *m = view->machine;
    double least = -HUGE_VAL, weights = 1.0;
    *network = (diffusive_network){ NULL, 1.0, MOST_PRICE };
    if (!m || m->cluster_count == 1) return PEN_OK;
    for (int32_t q = 0; q < m->processors; q++) {
        double cost = m->link(m, peers->rank, q).cost;
        if (cost > 0.0) least = fmax(least, -cost);
    }
    for (uint32_t a = 0; a < view->rows[view->count]; a++)
        weights += view->edge_weights ? (double)view->edge_weights[a] : 1.0;
    PEN_TRY(peers->reduce(peers, 1, &weights, 1, &least));
    /* A gain is at most the price of all edges, and changes by at most twice that. */
    if (isfinite(least)) *network = (diffusive_network){ m, -least, fmin(MOST_PRICE, 0x1p61 / weights) };
    return PEN_OK;
}
