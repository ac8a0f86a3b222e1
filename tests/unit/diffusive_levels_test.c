/* diffusive_levels_test.c - clusters and stages of the diffusive balancer, and a load that it follows.
 * pen_test(TIMEOUT 180) */
#include "tests/support/unit.h"

#include "base/hash.h"
#include "base/status.h"
#include "rebalance/balancers.h"
#include "rebalance/diffusive/stage.h"
#include "tests/support/virtual_world.h"

#include <math.h>

static void assert_ok(pen_status status)
{
    if (status != PEN_OK) fail_msg("%s: %s", pen_status_name(status), pen_error_message());
}

/* What a stage is of the view that it was made from: the same nodes, load and edges to other ranks. */
static pen_status check_stage(const pen_load_view *view, const stage *s, int rank)
{
    double load = 0.0, expected = 0.0;
    int64_t nodes = 0, cut = 0, arcs = 0;
    for (pen_lid i = 0; i < s->input.view.count; i++) {
        load += s->input.view.loads[i];
        nodes += s->input.sizes[i];
        for (uint32_t a = s->input.view.rows[i]; a < s->input.view.rows[i + 1]; a++) {
            if (s->input.view.columns[a] == i)
                return pen_fail(PEN_ERR_INTERNAL, "item %d is its own neighbour", (int)i);
            if (s->input.view.columns[a] >= s->input.view.count) cut += s->input.view.edge_weights[a];
        }
    }
    for (pen_lid i = 0; i < view->count; i++) {
        expected += view->loads[i];
        for (uint32_t a = view->rows[i]; a < view->rows[i + 1]; a++)
            if (view->columns[a] >= view->count) arcs += view->edge_weights ? view->edge_weights[a] : 1;
    }
    if (nodes == view->count && cut == arcs && fabs(load - expected) <= 1e-9 * (1.0 + expected)) return PEN_OK;
    return pen_fail(PEN_ERR_INTERNAL, "rank %d: %d nodes, cut %d, load %g; stage of level %d has %d, %d, %g", rank,
                    (int)view->count, (int)arcs, expected, s->finest, (int)nodes, (int)cut, load);
}

static int levels_seen;

/* On every level some items go elsewhere; on the finest one those near borders are nodes. */
static pen_status descend(void *state, const pen_load_view *view, pen_peers *peers, pen_plan *plan)
{
    levels l = { .count = 0 };
    stage s = { 0 };
    plan_team team;
    pen_status status = pen_team_create(peers, peers->size, &team);
    if (status == PEN_OK) status = pen_levels_create(view, NULL, &team, &l);
    if (status == PEN_OK) status = pen_levels_add(&l, 1, 1e300);
    levels_seen = l.count > levels_seen ? l.count : levels_seen;
    if (status == PEN_OK) status = pen_stage_create(&l, &s);
    for (int k = l.count - 1; k >= 0 && status == PEN_OK; k--) {
        if (k < l.count - 1) status = pen_stage_refine(&l, &s);
        if (status == PEN_OK) status = check_stage(view, &s, peers->rank);
        for (pen_lid i = 0; i < s.input.view.count && status == PEN_OK; i++) {
            uint64_t dice = pen_mix(pen_mix((uint64_t)s.input.view.gids[i]) + (uint64_t)k);
            if (dice % 4 == 0) s.input.to[i] = (int32_t)(dice / 4 % (uint64_t)peers->size);
        }
    }
    for (pen_lid i = 0; i < view->count && status == PEN_OK; i++)
        if (s.items[0][i] < 0 || s.items[0][i] >= s.input.view.count)
            status = pen_fail(PEN_ERR_INTERNAL, "node %d of rank %d is in no item", (int)i, peers->rank);
    pen_stage_free(&s);
    pen_levels_free(&l);
    pen_team_free(&team);
    return status;
}

TEST(stages_are_the_graph)
{
    static const pen_balancer balancer = { .name = "stages", .plan = descend };
    for (uint64_t seed = 0; seed < 300; seed++) {
        pen_virtual_world w;
        int ranks = 1 + (int)(seed % 9);
        int32_t nodes = (int32_t)(pen_mix(seed) % 200);
        if (seed % 10 == 0) assert_ok(pen_virtual_hex(ranks, 40, 40, &w));
        else assert_ok(pen_virtual_random(ranks, nodes, (int64_t)(seed % 4) * nodes, seed, &w));
        for (int32_t i = 0; i < w.nodes; i++) w.loads[i] = (double)(pen_mix(seed + (uint64_t)i) % 7);
        assert_ok(pen_virtual_world_balance(&w, &balancer, "", NULL, false, NULL));
        pen_virtual_world_free(&w);
    }
    assert_true(levels_seen >= 4);
}

/* A hot disc wanders over a field: loads follow, borders stay short, and few nodes move. */
TEST(a_hot_disc_is_followed)
{
    enum { WIDTH = 120, CALLS = 10 };
    pen_virtual_world w;
    assert_ok(pen_virtual_hex(8, WIDTH, WIDTH, &w));
    for (int32_t i = 0; i < w.nodes; i++) w.owners[i] = i / WIDTH / (WIDTH / 2) * 4 + i % WIDTH / (WIDTH / 4);
    int64_t moved = 0;
    for (int k = 0; k < CALLS; k++) {
        for (int32_t i = 0; i < w.nodes; i++) {
            double x = i % WIDTH - WIDTH * (k + 0.5) / CALLS, y = (double)(i / WIDTH) - WIDTH / 2.0;
            w.loads[i] = x * x + y * y <= WIDTH * WIDTH / 64.0 ? 10.0 : 1.0;
        }
        pen_virtual_outcome outcome;
        pen_quality q;
        assert_ok(pen_virtual_world_balance(&w, &pen_balancer_diffusive, "", NULL, false, &outcome));
        assert_ok(pen_virtual_world_measure(&w, &q));
        if (k > 0) moved += outcome.moved;
        if (q.imbalance > 1.02 || q.pieces > 0 || q.cut > 9 * WIDTH)
            fail_msg("position %d: imbalance %g, cut %" PRId64 ", pieces %" PRId64, k, q.imbalance, q.cut, q.pieces);
    }
    if (moved > (CALLS - 1) * (int64_t)w.nodes / 7) fail_msg("%" PRId64 " nodes moved", moved);
    pen_virtual_world_free(&w);
}

/* Loads move from one half of a long row of ranks to the other, through 32 times the most load of a rank. */
TEST(loads_are_carried_far)
{
    enum { LENGTH = 128, BLOCK = 16, WIDTH = LENGTH * BLOCK };
    pen_virtual_world w;
    pen_quality q;
    assert_ok(pen_virtual_hex(2 * LENGTH, WIDTH, 2 * BLOCK, &w));
    for (int32_t i = 0; i < w.nodes; i++) {
        int column = i % WIDTH / BLOCK;
        w.owners[i] = i / WIDTH / BLOCK * LENGTH + column;
        w.loads[i] = column < LENGTH / 2 ? 3.0 : 1.0;
    }
    w.threads = 2;
    assert_ok(pen_virtual_world_balance(&w, &pen_balancer_diffusive, "", NULL, false, NULL));
    assert_ok(pen_virtual_world_measure(&w, &q));
    if (q.imbalance > 1.02) fail_msg("imbalance %g", q.imbalance);
    pen_virtual_world_free(&w);
}
