/* deal.c - sends load directly from ranks with too much to ranks with too little. */
#include "rebalance/diffusive/deal.h"
#include "base/memory.h"
#include "partition/gather.h"

#include <math.h>

/* The load that a rank has too much or too little; and a part of a surplus with its destination. */
typedef struct difference {
    double surplus, deficit;
} difference;

typedef struct portion {
    double load;
    int64_t to;
} portion;

/* Rank 0 only. Imagine two lines: the surpluses of all ranks one after another, and the deficits likewise. Each piece
 * of a surplus goes to the rank whose deficit is at the same position. Portions of rank r: from starts[r] on. */
static void match(const pen_blocks *differences, portion *portions, int64_t *starts)
{
    const int ranks = differences->count;
    const difference *of = (const difference *)(const void *)differences->data;
    int64_t count = 0;
    int to = 0;
    double filled = 0.0;
    for (int r = 0; r < ranks; r++) {
        starts[r] = count;
        for (double left = of[r].surplus; left > 0.0 && to < ranks;) {
            const double part = fmin(left, of[to].deficit - filled);
            if (part > 0.0) portions[count++] = (portion){ part, to };
            left -= part;
            filled += part;
            if (filled < of[to].deficit) continue;
            filled = 0.0;
            to++;
        }
    }
    starts[ranks] = count;
}

/* Collective. Find the portions that this rank gives away. They are valid until the next exchange. */
static pen_status find_portions(pen_peers *peers, difference mine, const portion **portions, int64_t *count)
{
    const pen_parcels one = { 1, (int[]){ 0 }, (int64_t[]){ 0, sizeof mine }, &mine };
    const pen_blocks *received;
    portion *all = NULL;
    int64_t *starts = NULL;
    PEN_TRY(peers->exchange(peers, false, &one, &received));
    pen_status status = PEN_OK;
    if (peers->rank == 0) status = PEN_ALLOC(&all, 2 * (int64_t)peers->size);
    if (status == PEN_OK && peers->rank == 0) status = PEN_ALLOC(&starts, (int64_t)peers->size + 1);
    if (status == PEN_OK && peers->rank == 0) match(received, all, starts);
    if (status == PEN_OK) status = pen_scatter(peers, starts, all, sizeof *all, &received);
    PEN_FREE_ALL(all, starts);
    PEN_TRY(status);
    *portions = received->count > 0 ? (const portion *)(const void *)received->data : NULL;
    *count = received->count > 0 ? received->offsets[1] / (int64_t)sizeof **portions : 0;
    return PEN_OK;
}

/* List own nodes with a load in breadth-first order, so that consecutive nodes are mostly connected. */
static pen_lid list_nodes(const pen_load_view *view, const double *loads, bool *seen, pen_lid *order)
{
    pen_lid count = 0, next = 0;
    for (pen_lid first = 0; first < view->count; first++) {
        if (seen[first] || !(loads[first] > 0.0)) continue;
        seen[first] = true;
        for (order[count++] = first; next < count; next++)
            for (uint32_t a = view->rows[order[next]]; a < view->rows[order[next] + 1]; a++) {
                const pen_lid there = view->columns[a];
                if (there >= view->count || seen[there] || !(loads[there] > 0.0)) continue;
                seen[there] = true;
                order[count++] = there;
            }
    }
    return count;
}

static pen_status give_away(const pen_load_view *view, const double *loads, const portion *portions, int64_t count,
                            int32_t *to)
{
    pen_lid *order = NULL;
    bool *seen = NULL;
    double given = 0.0, end = count > 0 ? portions[0].load : 0.0;
    int64_t k = 0;
    pen_status status = PEN_ALLOC(&order, view->count);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&seen, view->count);
    const pen_lid nodes = status == PEN_OK ? list_nodes(view, loads, seen, order) : 0;
    for (pen_lid i = 0; i < nodes && k < count; i++) {
        const double middle = given + 0.5 * loads[order[i]];
        while (k < count && middle > end)
            if (++k < count) end += portions[k].load;
        if (k < count) to[order[i]] = (int32_t)portions[k].to;
        given += loads[order[i]];
    }
    PEN_FREE_ALL(order, seen);
    return status;
}

pen_status pen_deal_out(const pen_load_view *view, const double *loads, double fixed, pen_peers *peers, int32_t *to)
{
    const portion *portions;
    int64_t count;
    double mine = 0.0, sums[2] = { fixed, view->speed };
    for (pen_lid i = 0; i < view->count; i++) {
        to[i] = peers->rank;
        mine += loads[i];
    }
    sums[0] += mine;
    PEN_TRY(peers->reduce(peers, 2, sums, 0, NULL));
    const double over = mine + fixed - sums[0] * view->speed / sums[1];
    PEN_TRY(find_portions(peers, (difference){ fmax(0.0, fmin(over, mine)), fmax(0.0, -over) }, &portions, &count));
    return give_away(view, loads, portions, count, to);
}
