/* team.c - reductions over the ranks of a team, and their targets. */
#include "rebalance/diffusive/team.h"

#include "base/memory.h"

#include <math.h>

pen_status pen_team_create(pen_peers *peers, int size, plan_team *team)
{
    *team = (plan_team){ .peers = peers, .size = size, .first = peers ? peers->rank : 0, .count = peers ? 1 : size };
    PEN_TRY(PEN_ALLOC_ZERO(&team->shares, team->count));
    return PEN_ALLOC(&team->values, team->count);
}

void pen_team_free(plan_team *team)
{
    PEN_FREE_ALL(team->shares, team->values);
    *team = (plan_team){ 0 };
}

/* Without peers: rank r + d is added to rank r, for all r that are multiples of 2 d, at d = 1, 2, 4, ..., as peers do.
 */
pen_status pen_team_reduce(plan_team *team, int sums, int maxima)
{
    double *first = team->values[0];
    if (team->peers) return team->peers->reduce(team->peers, sums, first, maxima, first + sums);
    for (int64_t d = 1; d < team->count; d *= 2)
        for (int64_t r = 0; r + d < team->count; r += 2 * d) {
            double *mine = team->values[r];
            const double *other = team->values[r + d];
            for (int i = 0; i < sums; i++) mine[i] += other[i];
            for (int i = sums; i < sums + maxima; i++) mine[i] = other[i] > mine[i] ? other[i] : mine[i];
        }
    return PEN_OK;
}

pen_status pen_team_sum(const plan_team *team, int sum_count, double *sums, int max_count, double *maxima)
{
    return team->peers ? team->peers->reduce(team->peers, sum_count, sums, max_count, maxima) : PEN_OK;
}

/* Each step takes more ranks out of the mean, until no node is above it. */
pen_status pen_team_find_targets(plan_team *team, double load, double fastest, const plan_target *target, double *off)
{
    double mean = target->mean;
    while (target->heaviest * fastest > mean * fastest) {
        for (int k = 0; k < team->count; k++) {
            const plan_share *share = &team->shares[k];
            const bool above = share->heaviest > mean * fastest;
            team->values[k][0] = above ? share->heaviest : 0.0;
            team->values[k][1] = above ? share->speed : 0.0;
        }
        PEN_TRY(pen_team_reduce(team, 2, 0));
        const double *sums = team->values[0];
        const double rest = sums[1] < team->size ? (load - sums[0]) / (team->size - sums[1]) : mean;
        if (!(rest < mean)) break;
        mean = fmax(rest, 0.0);
    }
    *off = 0.0;
    for (int k = 0; k < team->count; k++) {
        plan_share *share = &team->shares[k];
        const bool pinned = share->heaviest > mean * fastest;
        const double goal = pinned ? share->heaviest : mean * share->speed;
        *off = fmax(*off, fabs(share->load - goal) / share->speed);
        share->load = goal;
        if (!pinned) share->pinned = -1;
    }
    return PEN_OK;
}
