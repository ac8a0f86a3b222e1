/* price.c - computes the cost of a cut edge by the processors of its ends. */
#include "rebalance/diffusive/price.h"
#include "base/status.h"

#include <math.h>

pen_status pen_network_find(const pen_load_view *view, pen_peers *peers, diffusive_network *network)
{
    const pen_machine *m = view->machine;
    double least = -HUGE_VAL;
    *network = (diffusive_network){ NULL, 1.0 };
    if (!m || m->cluster_count == 1) return PEN_OK;
    for (int32_t q = 0; q < m->processors; q++) {
        double cost = m->link(m, peers->rank, q).cost;
        if (cost > 0.0) least = fmax(least, -cost);
    }
    PEN_TRY(peers->reduce(peers, 0, NULL, 1, &least));
    if (isfinite(least)) *network = (diffusive_network){ m, -least };
    return PEN_OK;
}
