/* diffusive_deal_test.c - load that is dealt out, the prices of cut edges, and the heap of candidates, beside
 * answers by brute force on tiny graphs and machines.
 * pen_test() */
#include "tests/support/unit.h"

#include "rebalance/diffusive/candidates.h"
#include "rebalance/diffusive/deal.h"
#include "rebalance/diffusive/price.h"
#include "tests/support/balance_cases.h"

#include <math.h>
#include <stdlib.h>

enum { NODES = 7, RANKS = 3, WORLDS = 400, MOST_PROCESSORS = 9 };

/* ---- Dealing out ---------------------------------------------------------------------------------- */

/* Nodes without edges, in any order on ranks of some speeds, which have other load, too. */
typedef struct dealt {
    int nodes, where[NODES], to[NODES];
    double loads[NODES], fixed[RANKS], speeds[RANKS];
} dealt;

static pen_status deal_out(void *context, pen_peers *peers)
{
    dealt *d = context;
    pen_gid gids[NODES];
    double loads[NODES];
    int32_t to[NODES];
    uint32_t rows[NODES + 1] = { 0 };
    pen_load_view view = { .gids = gids, .rows = rows, .speed = d->speeds[peers->rank] };
    for (int i = 0; i < d->nodes; i++)
        if (d->where[i] == peers->rank) {
            gids[view.count] = i;
            loads[view.count++] = d->loads[i];
        }
    PEN_TRY(pen_deal_out(&view, loads, d->fixed[peers->rank], peers, to));
    for (pen_lid i = 0; i < view.count; i++) d->to[gids[i]] = to[i];
    return PEN_OK;
}

static double slowest(const dealt *d, const int *where)
{
    double most = 0.0;
    for (int r = 0; r < RANKS; r++) {
        double load = d->fixed[r];
        for (int i = 0; i < d->nodes; i++) load += where[i] == r ? d->loads[i] : 0.0;
        most = fmax(most, load / d->speeds[r]);
    }
    return most;
}

static int moved(const dealt *d, const int *where)
{
    int count = 0;
    for (int i = 0; i < d->nodes; i++) count += where[i] != d->where[i];
    return count;
}

/* Of all assignments of the nodes: the shortest time of the slowest rank, and the fewest moves that reach it. */
static double find_best(const dealt *d, int *fewest)
{
    int all = 1;
    double best = HUGE_VAL;
    for (int i = 0; i < d->nodes; i++) all *= RANKS;
    for (int number = 0; number < all; number++) {
        int where[NODES];
        for (int i = 0, rest = number; i < d->nodes; i++, rest /= RANKS) where[i] = rest % RANKS;
        const double time = slowest(d, where);
        const int moves = moved(d, where);
        if (time < best - 1e-9 || (time < best + 1e-9 && moves < *fewest)) {
            best = fmin(best, time);
            *fewest = moves;
        }
    }
    return best;
}

static dealt draw(uint64_t seed, bool equal)
{
    uint64_t dice = pen_mix(seed);
    dealt d = { .nodes = 1 + (int)balance_draw(&dice, NODES) };
    if (equal) d.nodes = 2 * RANKS;
    for (int r = 0; r < RANKS; r++) {
        d.speeds[r] = equal ? 1.0 : 1.0 + (double)balance_draw(&dice, 2);
        d.fixed[r] = equal ? 0.0 : (double)balance_draw(&dice, 3);
    }
    for (int i = 0; i < d.nodes; i++) {
        d.where[i] = (int)balance_draw(&dice, RANKS);
        d.loads[i] = equal ? 1.0 : (double)balance_draw(&dice, 5);
    }
    return d;
}

/* If shares are whole numbers of equal nodes, the loads become equal with the fewest moves. */
TEST(equal_nodes_are_dealt_out_at_best)
{
    int moves = 0;
    for (uint64_t seed = 0; seed < WORLDS; seed++) {
        dealt d = draw(seed, true);
        int fewest = 0;
        const double best = find_best(&d, &fewest);
        assert_ok(pen_virtual_run(RANKS, 1, deal_out, &d, NULL, NULL));
        assert_true(fabs(slowest(&d, d.to) - best) < 1e-9);
        assert_int_equal(moved(&d, d.to), fewest);
        moves += fewest;
    }
    assert_true(moves > WORLDS);
}

/* Otherwise a rank with too much load keeps its share, or what is not in its nodes, within half of its heaviest node;
 * nodes go only to ranks with too little. */
TEST(nodes_are_dealt_out_nearly_at_best)
{
    int exact = 0;
    for (uint64_t seed = 0; seed < WORLDS; seed++) {
        dealt d = draw(seed, false);
        int fewest = 0;
        double now[RANKS], then[RANKS], heaviest[RANKS] = { 0.0 }, total = 0.0, speed = 0.0;
        const double best = find_best(&d, &fewest);
        assert_ok(pen_virtual_run(RANKS, 1, deal_out, &d, NULL, NULL));
        for (int r = 0; r < RANKS; r++) {
            now[r] = then[r] = d.fixed[r];
            for (int i = 0; i < d.nodes; i++) {
                now[r] += d.where[i] == r ? d.loads[i] : 0.0;
                then[r] += d.to[i] == r ? d.loads[i] : 0.0;
                heaviest[r] = fmax(heaviest[r], d.where[i] == r ? d.loads[i] : 0.0);
            }
            total += now[r];
            speed += d.speeds[r];
        }
        for (int r = 0; r < RANKS; r++) {
            const double share = total * d.speeds[r] / speed;
            if (now[r] > share) assert_true(fabs(then[r] - fmax(share, d.fixed[r])) <= 0.5 * heaviest[r] + 1e-9);
            for (int i = 0; i < d.nodes; i++)
                if (d.to[i] != d.where[i] && d.to[i] == r) assert_true(now[r] < share);
        }
        const double time = slowest(&d, d.to);
        assert_true(time >= best - 1e-9);
        exact += time <= best + 1e-9;
    }
    if (3 * exact < WORLDS) fail_msg("the shortest time in %d of %d cases", exact, WORLDS);
}

/* ---- Prices --------------------------------------------------------------------------------------- */

typedef struct priced {
    const pen_machine *machine;
    int64_t weight; /* of each rank's only arc; 0: there is none */
    diffusive_network found[MOST_PROCESSORS];
} priced;

static pen_status find_network(void *context, pen_peers *peers)
{
    priced *p = context;
    const uint32_t rows[] = { 0, p->weight > 0 };
    const pen_load_view view = { .count = 1, .machine = p->machine, .rows = rows, .edge_weights = &p->weight };
    return pen_network_find(&view, peers, &p->found[peers->rank]);
}

/* A machine whose links' costs are in a table. */
typedef struct table_machine {
    pen_machine machine;
    double speeds[MOST_PROCESSORS], costs[MOST_PROCESSORS][MOST_PROCESSORS];
    int32_t clusters[MOST_PROCESSORS];
} table_machine;

static pen_link link_of(const pen_machine *m, int32_t from, int32_t to)
{
    return (pen_link){ .cost = ((const table_machine *)(const void *)m)->costs[from][to] };
}

static void draw_machine(uint64_t seed, int processors, table_machine *t)
{
    static const double costs[] = { 0.0, 0.01, 1.0, 1.37, 3.0, 40.0, 1e9 };
    uint64_t dice = pen_mix(seed);
    *t = (table_machine){ .machine = { .processors = processors,
                                       .speeds = t->speeds,
                                       .total_speed = processors,
                                       .cluster_count = processors,
                                       .clusters = t->clusters,
                                       .link = link_of } };
    for (int p = 0; p < processors; p++) {
        t->speeds[p] = 1.0;
        t->clusters[p] = p;
        for (int q = 0; q < p; q++)
            t->costs[p][q] = t->costs[q][p] = costs[balance_draw(&dice, seed % 3 == 0 ? 2 : PEN_COUNT_OF(costs))];
    }
}

/* Of all links with a cost the cheapest has the price of an edge; the others that of as many edges as they cost more,
 * to a 16th; none less than a 16th, and none more than the limit. */
TEST(prices_are_multiples_of_the_cheapest_link)
{
    int limited = 0, free_links = 0;
    for (uint64_t seed = 0; seed < WORLDS; seed++) {
        const int processors = 2 + (int)(seed % (MOST_PROCESSORS - 1));
        table_machine t;
        draw_machine(seed, processors, &t);
        priced p = { .machine = &t.machine };
        double least = HUGE_VAL;
        for (int a = 0; a < processors; a++)
            for (int b = 0; b < a; b++)
                if (t.costs[a][b] > 0.0) least = fmin(least, t.costs[a][b]);
        assert_ok(pen_virtual_run(processors, 1, find_network, &p, NULL, NULL));
        for (int r = 0; r < processors; r++)
            for (int a = 0; a < processors; a++)
                for (int b = 0; b < processors; b++) {
                    const int64_t price = price_between(&p.found[r], a, b);
                    if (a == b) assert_int_equal(price, 0);
                    else if (isinf(least)) assert_int_equal(price, PRICE_OF_EDGE);
                    else if (t.costs[a][b] <= least / 16.0) assert_int_equal(price, 1);
                    else if (t.costs[a][b] >= 65536.0 * least) assert_int_equal(price, MOST_PRICE);
                    else
                        assert_true(fabs((double)price / PRICE_OF_EDGE - t.costs[a][b] / least) <= 0.5 / PRICE_OF_EDGE);
                    limited += price == MOST_PRICE;
                    free_links += a != b && t.costs[a][b] <= 0.0 && price == 1;
                }
    }
    assert_true(limited > WORLDS && free_links > WORLDS);
}

/* The price of all edges, and four times that, fits 64 bits. */
TEST(heavy_edges_have_low_prices)
{
    static const int64_t weights[] = { 1, 1000000000000, INT64_C(200000000000000000) };
    table_machine t;
    draw_machine(1, 2, &t);
    t.costs[0][1] = t.costs[1][0] = 1e9;
    t.costs[0][0] = 1.0;
    for (int i = 0; i < PEN_COUNT_OF(weights); i++) {
        priced p = { .machine = &t.machine, .weight = weights[i] };
        assert_ok(pen_virtual_run(2, 1, find_network, &p, NULL, NULL));
        const int64_t price = price_between(&p.found[0], 0, 1);
        assert_true(price >= 1 && price <= INT64_MAX / 4 / (2 * weights[i]));
        if (i == 0) assert_int_equal(price, MOST_PRICE);
    }
}

/* Without a machine, or with one cluster, edges cost the same everywhere. */
TEST(equal_links_have_no_prices)
{
    table_machine t;
    draw_machine(1, 4, &t);
    t.machine.cluster_count = 1;
    for (int with = 0; with < 2; with++) {
        priced p = { .machine = with ? &t.machine : NULL };
        assert_ok(pen_virtual_run(4, 1, find_network, &p, NULL, NULL));
        for (int r = 0; r < 4; r++) {
            assert_null(p.found[r].machine);
            assert_int_equal(price_between(&p.found[r], 0, 3), PRICE_OF_EDGE);
            assert_int_equal(price_between(&p.found[r], 2, 2), 0);
        }
    }
}

/* ---- Candidates ----------------------------------------------------------------------------------- */

/* Highest key first, the oldest of equal ones. */
TEST(candidates_come_in_order)
{
    enum { MOST = 40 };
    for (uint64_t seed = 0; seed < WORLDS; seed++) {
        uint64_t dice = pen_mix(seed + 5);
        candidates h = { .count = 0 };
        int64_t keys[MOST];
        bool in[MOST] = { false };
        for (int pushed = 0, left = 0; pushed < MOST || left > 0;) {
            if (pushed < MOST && (left == 0 || balance_draw(&dice, 3) > 0)) {
                keys[pushed] = (int64_t)balance_draw(&dice, 6) - 3;
                assert_ok(candidates_push(&h, keys[pushed], pushed));
                in[pushed++] = true;
                left++;
                continue;
            }
            int best = -1;
            for (int i = 0; i < pushed; i++)
                if (in[i] && (best < 0 || keys[i] > keys[best])) best = i;
            assert_int_equal(candidates_pop(&h).node, best);
            in[best] = false;
            left--;
        }
        free(h.entries);
    }
}
