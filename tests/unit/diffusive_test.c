/* diffusive_test.c - the diffusive balancer on virtual ranks: never worse, conserving, deterministic, on small
 * random worlds and on degenerate ones. */
#include "tests/support/unit.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/status.h"
#include "rebalance/balancers.h"
#include "rebalance/diffusive/flow.h"
#include "rebalance/diffusive/pieces.h"
#include "tests/support/balance_cases.h"

#include <math.h>
#include <stdlib.h>

static pen_quality measure(const pen_virtual_world *world)
{
    pen_quality quality;
    assert_ok(pen_virtual_world_measure(world, &quality));
    return quality;
}

static pen_virtual_outcome balance(pen_virtual_world *world)
{
    pen_virtual_outcome outcome;
    assert_ok(pen_virtual_world_balance(world, &pen_balancer_diffusive, "", NULL, false, &outcome));
    return outcome;
}

/* The largest deviation of a rank's time from the mean; 0 if a node is heavier than any rank's share: then the other
 * ranks share the rest. */
static double off_mean(const pen_virtual_world *world)
{
    double loads[9] = { 0.0 }, mean = 0.0, most = 0.0, heaviest = 0.0, fastest = 0.0;
    const pen_machine *m = world->machine;
    for (int32_t i = 0; i < world->nodes; i++) heaviest = fmax(heaviest, world->loads[i]);
    for (int32_t i = 0; i < world->nodes; i++) loads[world->owners[i]] += world->loads[i];
    for (int r = 0; r < world->ranks; r++) mean += loads[r] / world->ranks;
    for (int r = 0; r < world->ranks; r++) {
        double speed = m ? m->speeds[r] * world->ranks / m->total_speed : 1.0;
        most = fmax(most, fabs(loads[r] / speed - mean));
        fastest = fmax(fastest, speed);
    }
    return heaviest > mean * fastest ? 0.0 : most;
}

TEST(no_plan_is_worse)
{
    int better = 0;
    for (int seed = 0; seed < unit_cases; seed++) {
        pen_virtual_world world;
        balance_larger_case((uint64_t)seed, &world);
        pen_quality before = measure(&world);
        double off = off_mean(&world);
        assert_ok(pen_virtual_world_balance(&world, &pen_balancer_diffusive, seed % 3 ? "coarsest=1" : "", NULL,
                                            seed % 2, NULL));
        pen_quality after = measure(&world);
        if (after.imbalance > before.imbalance * (1.0 + 1e-9))
            fail_msg("case %d: imbalance %.17g becomes %.17g", seed, before.imbalance, after.imbalance);
        bool same = fabs(after.imbalance - before.imbalance) <= 1e-9 && off > 0.0 &&
                    off_mean(&world) >= off * (1.0 - 1e-9);
        if (same && after.pieces >= before.pieces && after.cut > before.cut)
            fail_msg("case %d: cut %" PRId64 " becomes %" PRId64, seed, before.cut, after.cut);
        better += after.imbalance < before.imbalance;
        pen_virtual_world_free(&world);
    }
    if (better < unit_cases / 2) fail_msg("%d of %d cases become better", better, unit_cases);
}

TEST(plans_do_not_depend_on_the_ranks_turns)
{
    static const int backwards[9] = { 8, 7, 6, 5, 4, 3, 2, 1, 0 };
    for (uint64_t seed = 0; seed < 100; seed++) {
        pen_virtual_world worlds[2];
        for (int k = 0; k < 2; k++) {
            balance_larger_case(seed, &worlds[k]);
            assert_ok(pen_virtual_world_balance(&worlds[k], &pen_balancer_diffusive, seed % 2 ? "coarsest=1" : "",
                                                k ? &backwards[9 - worlds[k].ranks] : NULL, false, NULL));
        }
        for (int32_t i = 0; i < worlds[0].nodes; i++) assert_int_equal(worlds[0].owners[i], worlds[1].owners[i]);
        pen_virtual_world_free(&worlds[0]);
        pen_virtual_world_free(&worlds[1]);
    }
}

/* One rank has far too little, none too much: the case of two-sided imbalance. No rank gets more than the present
 * maximum. The second world can only become worse: its borders are as short as possible. */
TEST(who_has_too_little_gets_more)
{
    for (int strip = 0; strip < 2; strip++) {
        pen_virtual_world world;
        if (strip) assert_ok(pen_virtual_hex(10, 1000, 2, &world));
        else assert_ok(pen_virtual_hex(8, 40, 40, &world));
        for (int32_t i = 0; i < world.nodes; i++) {
            int32_t column = i % 1000;
            if (strip) world.owners[i] = column < 909 ? column / 101 : 9;
            else world.owners[i] = i < 1414 ? i / 202 : 7;
        }
        pen_quality before = measure(&world);
        assert_true(before.imbalance < 1.02 && before.two_sided > 0.05);
        balance(&world);
        pen_quality after = measure(&world);
        if (after.two_sided > 0.02 || after.imbalance > before.imbalance || after.pieces > 0)
            fail_msg("two-sided %g becomes %g, imbalance %g becomes %g", before.two_sided, after.two_sided,
                     before.imbalance, after.imbalance);
        pen_virtual_world_free(&world);
    }
}

/* A block of one rank's nodes with more edges to another rank than to the rest of its own moves there. */
TEST(outlying_pieces_move)
{
    pen_virtual_world world;
    assert_ok(pen_virtual_hex(2, 40, 40, &world));
    for (int32_t i = 0; i < world.nodes; i++) {
        int x = i % 40, y = i / 40;
        bool outlying = x >= 20 && x < 30 && y >= 15 && y < 25, other = x < 10 && y >= 15 && y < 25;
        world.owners[i] = outlying ? 0 : other ? 1 : x >= 20;
    }
    pen_quality before = measure(&world);
    balance(&world);
    pen_quality after = measure(&world);
    if (after.cut > before.cut / 2 || after.pieces > 0)
        fail_msg("cut %" PRId64 " becomes %" PRId64 ", %" PRId64 " pieces", before.cut, after.cut, after.pieces);
    pen_virtual_world_free(&world);
}

/* ---- Degenerate worlds ------------------------------------------------------------------------ */

static void balance_within(const char *name, pen_virtual_world *world, double limit)
{
    pen_quality before = measure(world);
    balance(world);
    pen_quality after = measure(world);
    if (after.imbalance > limit * after.bound || after.pieces > before.pieces)
        fail_msg("%s: imbalance %g becomes %g, pieces %" PRId64 " become %" PRId64, name, before.imbalance,
                 after.imbalance, before.pieces, after.pieces);
    pen_virtual_world_free(world);
}

TEST(all_nodes_on_one_rank)
{
    for (int ranks = 1; ranks <= 9; ranks++)
        for (int on = 0; on < ranks; on += 3) {
            pen_virtual_world world;
            assert_ok(pen_virtual_hex(ranks, 40, 40, &world));
            for (int32_t i = 0; i < world.nodes; i++) world.owners[i] = on;
            balance_within("all on one rank", &world, 1.05);
        }
}

TEST(nodes_without_edges)
{
    pen_virtual_world world;
    assert_ok(pen_virtual_edges(7, 700, 0, NULL, &world));
    for (int32_t i = 0; i < 700; i++) world.owners[i] = 3;
    balance(&world);
    assert_true(measure(&world).imbalance <= 1.02);
    pen_virtual_world_free(&world);
    assert_ok(pen_virtual_edges(3, 0, 0, NULL, &world));
    assert_int_equal(balance(&world).moved, 0);
    pen_virtual_world_free(&world);
}

TEST(more_ranks_than_nodes)
{
    pen_virtual_world world;
    assert_ok(pen_virtual_hex(20, 3, 3, &world));
    memset(world.owners, 0, 9 * sizeof *world.owners);
    balance(&world);
    if (measure(&world).imbalance > 4.5) fail_msg("imbalance %g", measure(&world).imbalance);
    pen_virtual_world_free(&world);
}

TEST(no_load_no_moves)
{
    pen_virtual_world world;
    assert_ok(pen_virtual_hex(4, 10, 10, &world));
    for (int32_t i = 0; i < 100; i++) world.loads[i] = world.owners[i] = 0;
    assert_int_equal(balance(&world).moved, 0);
    pen_virtual_world_free(&world);
}

TEST(one_node_with_all_edges)
{
    static int32_t edges[999][2];
    pen_virtual_world world;
    for (int32_t i = 0; i < 999; i++) edges[i][1] = i + 1;
    assert_ok(pen_virtual_edges(6, 1000, 999, (const int32_t(*)[2])edges, &world));
    for (int32_t i = 0; i < 1000; i++) world.owners[i] = i % 2;
    balance(&world);
    if (measure(&world).imbalance > 1.05) fail_msg("star: imbalance %g", measure(&world).imbalance);
    pen_virtual_world_free(&world);
}

/* The rank of the heavy node keeps nothing else, and the others share the rest evenly. */
TEST(one_node_heavier_than_the_mean)
{
    pen_virtual_world world;
    assert_ok(pen_virtual_hex(5, 20, 20, &world));
    world.loads[210] = 400.0;
    double loads[5] = { 0.0 };
    balance(&world);
    for (int32_t i = 0; i < 400; i++) loads[world.owners[i]] += world.loads[i];
    for (int r = 0; r < 5; r++)
        if (r == world.owners[210] ? loads[r] > 405.0 : loads[r] > 106.0) fail_msg("rank %d has %g", r, loads[r]);
    pen_virtual_world_free(&world);
}

/* Otherwise it would move: it is at the border, and half of the load to move is more than half of its own. */
TEST(a_heavy_node_stays)
{
    pen_virtual_world world;
    assert_ok(pen_virtual_hex(5, 20, 20, &world));
    for (int32_t i = 160; i < 240; i++) world.loads[i] = 4.0;
    world.loads[165] = 250.0;
    balance(&world);
    assert_int_equal(world.owners[165], 2);
    pen_virtual_world_free(&world);
}

/* Strips are balanced in every bit, and their cut is far from what it could be. */
TEST(balance_is_not_traded_for_cut)
{
    pen_virtual_world world;
    assert_ok(pen_virtual_hex(8, 40, 40, &world));
    assert_ok(pen_virtual_world_balance(&world, &pen_balancer_diffusive, "tolerance=0.1", NULL, false, NULL));
    assert_true(measure(&world).imbalance == 1.0);
    pen_virtual_world_free(&world);
}

/* Two grids that nothing connects, on ranks of their own, one with three times the load. */
TEST(two_worlds)
{
    pen_virtual_world world;
    assert_ok(pen_virtual_hex(8, 20, 80, &world));
    uint32_t kept = 0;
    for (int32_t i = 0, from = 0; i < world.nodes; i++) {
        int32_t to = (int32_t)world.rows[i + 1];
        for (; from < to; from++)
            if ((world.columns[from] < 800) == (i < 800)) world.columns[kept++] = world.columns[from];
        world.rows[i + 1] = kept;
    }
    for (int32_t i = 0; i < 800; i++) world.loads[i] = 3.0;
    balance(&world);
    if (measure(&world).imbalance > 1.05) fail_msg("two worlds: imbalance %g", measure(&world).imbalance);
    pen_virtual_world_free(&world);
}

TEST(islands_are_brought_home)
{
    pen_virtual_world world;
    assert_ok(pen_virtual_hex(4, 40, 40, &world));
    for (int32_t i = 0; i < world.nodes; i += 97) world.owners[i] = (i / 97) % 4;
    assert_true(measure(&world).pieces > 5);
    for (int32_t i = 0; i < 400; i++) world.loads[i] = 2.0;
    balance(&world);
    assert_int_equal(measure(&world).pieces, 0);
    pen_virtual_world_free(&world);
}

TEST(many_ranks)
{
    for (int half = 0; half < 2; half++) {
        pen_virtual_world world;
        assert_ok(pen_virtual_hex(256, 128, 128, &world));
        for (int32_t i = 0; i < world.nodes; i++) {
            world.owners[i] = i / 128 / 8 * 16 + i % 128 / 8;
            bool heavy = half ? world.owners[i] % 16 < 8 : world.owners[i] == 136;
            world.loads[i] = 1.0 + heavy * (half ? 2.0 : 9.0);
        }
        balance_within("many ranks", &world, half ? 1.05 : 1.10); /* a hot node weighs 0.15 of the mean */
    }
}

/* ---- Parts of the algorithm -------------------------------------------------------------------- */

enum { MOST = 9 };
static double flows[MOST][MOST];
static int64_t pieces_found[MOST];
static int32_t truth[64];

static bool by_load;

/* The state of a world as its ranks see it: of this rank alone, or of all. */
static pen_status make_state(const pen_load_view *view, pen_peers *peers, plan_team *team, plan_state *state)
{
    pen_status status = pen_team_create(peers, peers->size, team);
    int32_t *to = NULL;
    if (status == PEN_OK) status = PEN_ALLOC(&to, view->count);
    for (pen_lid i = 0; i < view->count && status == PEN_OK; i++) to[i] = peers->rank;
    const plan_items items = { .view = *view, .to = to };
    *state = (plan_state){ .team = team };
    if (status == PEN_OK) team->shares[0] = (plan_share){ .speed = 1.0, .pinned = -1 };
    if (status == PEN_OK) status = pen_state_create(team, &items, state);
    free(to);
    return status;
}

static pen_status keep_flow(void *state, const pen_load_view *view, pen_peers *peers, pen_plan *plan)
{
    plan_team team;
    plan_state s;
    double total = 0.0;
    pen_status status = make_state(view, peers, &team, &s);
    for (pen_lid i = 0; i < view->count; i++) total += view->loads[i];
    if (status == PEN_OK) status = peers->reduce(peers, 1, &total, 0, NULL);
    team.shares[0].load = total / peers->size;
    if (status == PEN_OK) status = pen_flow_solve(&s, 1e-11 * total, by_load, &plan->rounds);
    for (int k = 0; status == PEN_OK && k < s.parts[0].links.count; k++)
        flows[peers->rank][s.parts[0].links.ranks[k]] = s.parts[0].links.flow[k];
    pen_state_free(&s);
    pen_team_free(&team);
    return status;
}

/* Gauss with pivots: matrix x = right, n x n, into right. */
static void solve_dense(int n, double matrix[MOST][MOST], double right[MOST])
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(matrix[i][k]) > fabs(matrix[pivot][k])) pivot = i;
        for (int j = 0; j < n; j++) {
            double other = matrix[k][j];
            matrix[k][j] = matrix[pivot][j];
            matrix[pivot][j] = other;
        }
        double other = right[k];
        right[k] = right[pivot];
        right[pivot] = other;
        for (int i = 0; i < n; i++) {
            if (i == k) continue;
            double factor = matrix[i][k] / matrix[k][k];
            for (int j = k; j < n; j++) matrix[i][j] -= factor * matrix[k][j];
            right[i] -= factor * right[k];
        }
    }
    for (int k = 0; k < n; k++) right[k] /= matrix[k][k];
}

TEST(flows_are_those_of_a_dense_solve)
{
    static const pen_balancer balancer = { .name = "flow", .plan = keep_flow };
    for (uint64_t seed = 0; seed < 300; seed++) {
        by_load = seed % 2;
        pen_virtual_world w;
        double g[MOST][MOST] = { { 0.0 } }, density[MOST][MOST] = { { 0.0 } }, excess[MOST] = { 0.0 }, total = 0.0,
               contact = 0.0, bound = 0.0, dense = 0.0;
        balance_larger_case(seed, &w);
        int n = w.ranks;
        for (int32_t i = 0; i < w.nodes; i++) {
            excess[w.owners[i]] += w.loads[i];
            total += w.loads[i];
            for (uint32_t a = w.rows[i]; a < w.rows[i + 1]; a++)
                if (w.owners[w.columns[a]] != w.owners[i]) {
                    double weight = w.edge_weights ? (double)w.edge_weights[a] : 1.0;
                    g[w.owners[i]][w.owners[w.columns[a]]] += weight;
                    density[w.owners[i]][w.owners[w.columns[a]]] += weight * w.loads[i];
                    dense += weight * w.loads[i];
                }
        }
        for (int p = 0; p < n; p++)
            for (int q = 0; q < n; q++) contact += g[p][q];
        for (int p = 0; p < n; p++)
            for (int q = 0; q < n; q++) bound += g[p][q] > 0.0;
        double usual = dense > 0.0 ? dense / contact : 1.0;
        double weak = 1e-6 * usual * (bound > 0.0 ? contact / bound : 1.0);
        for (int p = 0; p < n; p++)
            for (int q = 0; q < n; q++)
                g[p][q] = by_load ? 0.01 * usual * g[p][q] + density[p][q] + density[q][p] : usual * g[p][q];
        for (int q = 1; q < n; q++)
            if (!(g[q][(q - 1) / 2] > 0.0)) g[q][(q - 1) / 2] = g[(q - 1) / 2][q] = weak;
        double matrix[MOST][MOST] = { { 0.0 } }, x[MOST];
        for (int p = 0; p < n; p++) {
            x[p] = excess[p] - total / n;
            for (int q = 0; q < n; q++) {
                matrix[p][p] += g[p][q];
                matrix[p][q] -= g[p][q];
            }
        }
        matrix[0][0] += 1.0; /* any x[0] would do */
        memset(flows, 0, sizeof flows);
        assert_ok(pen_virtual_world_balance(&w, &balancer, "", NULL, false, NULL));
        if (n > 1 && total > 0.0) {
            solve_dense(n, matrix, x);
            for (int p = 0; p < n; p++)
                for (int q = 0; q < n; q++)
                    if (fabs(flows[p][q] - g[p][q] * (x[p] - x[q])) > 1e-5 * total)
                        fail_msg("case %d: flow %d -> %d is %.12g, expected %.12g", (int)seed, p, q, flows[p][q],
                                 g[p][q] * (x[p] - x[q]));
        }
        pen_virtual_world_free(&w);
    }
}

static pen_status count_pieces(void *state, const pen_load_view *view, pen_peers *peers, pen_plan *plan)
{
    plan_team team;
    plan_state s;
    int64_t left;
    pen_status status = make_state(view, peers, &team, &s);
    if (status == PEN_OK) status = pen_pieces_repair(&s, -1.0, &pieces_found[peers->rank], &left);
    pen_state_free(&s);
    pen_team_free(&team);
    return status;
}

TEST(pieces_are_all_found)
{
    static const pen_balancer balancer = { .name = "pieces", .plan = count_pieces };
    int64_t sum = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        pen_virtual_world w;
        balance_larger_case(seed, &w);
        assert_ok(pen_virtual_world_balance(&w, &balancer, "", NULL, false, NULL));
        int64_t found = 0;
        for (int r = 0; r < w.ranks; r++) found += pieces_found[r];
        assert_int_equal(found, measure(&w).pieces);
        sum += found;
        pen_virtual_world_free(&w);
    }
    assert_true(sum > 300);
}

/* What a rank knows of its nodes and their neighbours is compared with the truth. */
static pen_status compare_owners(const plan_part *p, int round)
{
    const plan_graph *g = p->graph;
    int64_t own = 0;
    for (pen_lid i = 0; i < g->count; i++) own += part_has(p, i);
    if (own != p->own.count)
        return pen_fail(PEN_ERR_INTERNAL, "round %d: %d nodes, not %d", round, (int)p->own.count, (int)own);
    for (int64_t n = 0; n < own; n++) {
        const pen_lid node = p->own.nodes[n];
        for (int64_t a = g->starts[node]; a < graph_end(g, node); a++) {
            const pen_gid gid = g->gids[g->columns[a]];
            const int32_t owner = truth[(gid - PEN_VIRTUAL_GID(0)) / 3];
            if (g->where[g->columns[a]] != owner)
                return pen_fail(PEN_ERR_INTERNAL, "rank %d sees node %" PRIgid " on %d, it is on %d", p->rank, gid,
                                (int)g->where[g->columns[a]], (int)owner);
        }
    }
    return PEN_OK;
}

/* Nodes wander at random. */
static pen_status wander(void *state, const pen_load_view *view, pen_peers *peers, pen_plan *plan)
{
    plan_team team;
    plan_state s;
    double none = 0.0;
    pen_status status = make_state(view, peers, &team, &s);
    plan_part *p = s.parts;
    for (int round = 0; round < 6 && status == PEN_OK; round++) {
        for (int64_t n = 0; n < p->own.count && status == PEN_OK; n++) {
            const uint64_t dice = pen_mix(pen_mix((uint64_t)round) + (uint64_t)s.graph.gids[p->own.nodes[n]]);
            if (p->links.count == 0 || dice % 3 == 0) continue;
            status = pen_part_give(p, p->own.nodes[n], p->links.ranks[dice / 7 % (uint64_t)p->links.count]);
        }
        if (status == PEN_OK) status = pen_state_move(&s);
        for (int64_t n = 0; n < p->own.count && status == PEN_OK; n++)
            truth[(s.graph.gids[p->own.nodes[n]] - PEN_VIRTUAL_GID(0)) / 3] = peers->rank;
        if (status == PEN_OK) status = peers->reduce(peers, 1, &none, 0, NULL);
        if (status == PEN_OK) status = compare_owners(p, round);
        if (status == PEN_OK) status = peers->reduce(peers, 1, &none, 0, NULL);
    }
    pen_state_free(&s);
    pen_team_free(&team);
    return status;
}

TEST(ranks_know_their_neighbours_owners)
{
    static const pen_balancer balancer = { .name = "wander", .plan = wander };
    for (uint64_t seed = 0; seed < 300; seed++) {
        pen_virtual_world w;
        balance_larger_case(seed, &w);
        assert_ok(pen_virtual_world_balance(&w, &balancer, "", NULL, false, NULL));
        pen_virtual_world_free(&w);
    }
}

/* ---- Failures ----------------------------------------------------------------------------------- */

TEST(settings_are_checked)
{
    static const char *const wrong[] = { "tolerance=2", "tolerance=-0.1", "rounds=0", "coarsest=0",
                                         "speed=3",     "rounds",         "gather=no" };
    pen_virtual_world world;
    assert_ok(pen_virtual_hex(3, 12, 12, &world));
    world.loads[0] = 100.0;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(pen_virtual_world_balance(&world, &pen_balancer_diffusive, wrong[i], NULL, false, NULL),
                         PEN_ERR_INPUT);
    assert_ok(pen_virtual_world_balance(&world, &pen_balancer_diffusive, "tolerance=0.1,rounds=1", NULL, false, NULL));
    pen_virtual_world_free(&world);
}

static pen_status partition_in_three(void *context, pen_peers *peers)
{
    static const uint32_t rows[1] = { 0 };
    const pen_load_view view = { .rows = rows, .horizon = 1.0 };
    char settings[] = "";
    return pen_partitioner_diffusive.partition(settings, &view, peers, 3, NULL);
}

TEST(it_partitions_too)
{
    pen_virtual_world world;
    assert_ok(pen_virtual_hex(6, 30, 30, &world));
    for (int32_t i = 0; i < 450; i++) world.loads[i] = 4.0;
    assert_ok(pen_virtual_world_partition(&world, &pen_partitioner_diffusive, "", NULL));
    assert_true(measure(&world).imbalance <= 1.03);
    pen_virtual_world_free(&world);
    assert_int_equal(pen_virtual_run(2, 1, partition_in_three, NULL, NULL, NULL), PEN_ERR_UNSUPPORTED);
    assert_string_equal(pen_error_message(), "partitioner diffusive: 3 parts on 2 ranks, must be as many");
}

TEST(a_lack_of_memory_changes_nothing)
{
    pen_virtual_world world;
    int failures = 0;
    assert_ok(pen_virtual_hex(4, 16, 16, &world));
    for (int32_t i = 0; i < 64; i++) world.loads[i] = 5.0;
    for (int64_t k = 1;; k += 1 + k / 32) {
        pen_alloc_countdown = k;
        pen_status status = pen_virtual_world_balance(&world, &pen_balancer_diffusive, "coarsest=1", NULL, false, NULL);
        pen_alloc_countdown = 0;
        if (status == PEN_OK) break;
        if (status != PEN_ERR_INPUT) assert_int_equal(status, PEN_ERR_MEMORY); /* create can only say a sentence */
        for (int32_t i = 0; i < world.nodes; i++) assert_int_equal(world.owners[i], i / 64);
        failures++;
    }
    assert_true(failures > 50);
    pen_virtual_world_free(&world);
}
