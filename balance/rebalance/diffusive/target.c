#include "rebalance/diffusive/target.h"

#include <math.h>

pen_status pen_target_find(const pen_load_view *view, pen_peers *peers, double tolerance, const diffusive_sums *of_all,
                           diffusive_target *target)
{
    double mean = of_all->load / peers->size, own = 0.0, fastest = of_all->fastest * peers->size / of_all->speed;
    pen_lid heaviest_own = 0;
    target->pinned = -1;
    target->speed = view->speed * peers->size / of_all->speed;
    target->slowest = of_all->slowest * peers->size / of_all->speed;
    for (pen_lid i = 0; i < view->count; i++)
        if (view->loads[i] > own) own = view->loads[heaviest_own = i];
    while (of_all->heaviest > mean * fastest) {
        bool above = own > mean * fastest;
        double sums[2] = { above ? own : 0.0, above ? target->speed : 0.0 };
        PEN_TRY(peers->reduce(peers, 2, sums, 0, NULL));
        double rest = sums[1] < peers->size ? (of_all->load - sums[0]) / (peers->size - sums[1]) : mean;
        if (!(rest < mean)) break;
        mean = fmax(rest, 0.0);
    }
    bool pinned = own > mean * fastest;
    if (pinned) target->pinned = view->gids[heaviest_own];
    target->mean = of_all->load / peers->size;
    target->load = pinned ? own : mean * target->speed;
    target->slack = tolerance;
    return PEN_OK;
}
