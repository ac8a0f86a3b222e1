/* diffusive_arrays_test.c - the functions of the diffusive balancer on arrays, for all ranks in one process, beside
 * answers by brute force on tiny graphs.
 * pen_test() */
#include "tests/support/unit.h"

#include "base/hash.h"
#include "rebalance/diffusive/flow.h"
#include "rebalance/diffusive/pieces.h"
#include "rebalance/diffusive/refine.h"
#include "rebalance/diffusive/search.h"
#include "rebalance/diffusive/select.h"
#include "rebalance/diffusive/stage.h"
#include "tests/support/balance_cases.h"

#include <math.h>
#include <stdlib.h>

enum { NODES = 12, RANKS = 4, WORLDS = 2000 };

/* A random connected graph, where each node is, and the state made of them. */
typedef struct tiny {
    int nodes, ranks, weights[NODES][NODES]; /* 0: no edge */
    double loads[NODES];
    int32_t where[NODES];
    pen_gid gids[NODES];
    uint32_t rows[NODES + 1];
    pen_lid columns[NODES * NODES];
    int64_t edge_weights[NODES * NODES];
    plan_team team;
    plan_state state;
} tiny;

static void make(uint64_t seed, int ranks, tiny *t)
{
    uint64_t dice = pen_mix(seed);
    uint32_t arcs = 0;
    *t = (tiny){ .nodes = 6 + (int)balance_draw(&dice, NODES - 5), .ranks = ranks };
    for (int i = 1; i < t->nodes; i++)
        for (int edge = 0; edge < 2; edge++) {
            const int j = (int)balance_draw(&dice, (uint64_t)i);
            t->weights[i][j] = t->weights[j][i] = 1 + (int)balance_draw(&dice, 3);
        }
    for (int i = 0; i < t->nodes; i++) {
        t->loads[i] = 1.0 + (double)balance_draw(&dice, 4);
        t->where[i] = (int32_t)balance_draw(&dice, (uint64_t)ranks);
        t->gids[i] = 7 * i + 3;
        t->rows[i] = arcs;
        for (int j = 0; j < t->nodes; j++) {
            if (t->weights[i][j] == 0) continue;
            t->columns[arcs] = j;
            t->edge_weights[arcs++] = t->weights[i][j];
        }
    }
    t->rows[t->nodes] = arcs;
    const plan_items items = { .view = { .count = t->nodes,
                                         .gids = t->gids,
                                         .loads = t->loads,
                                         .rows = t->rows,
                                         .columns = t->columns,
                                         .edge_weights = t->edge_weights },
                               .homes = t->where,
                               .to = t->where };
    assert_ok(pen_team_create(NULL, ranks, &t->team));
    for (int r = 0; r < ranks; r++) t->team.shares[r] = (plan_share){ .speed = 1.0, .pinned = -1 };
    assert_ok(pen_state_create(&t->team, &items, &t->state));
}

static void destroy(tiny *t)
{
    pen_state_free(&t->state);
    pen_team_free(&t->team);
}

static double load_of(const tiny *t, const int32_t *where, int rank)
{
    double load = 0.0;
    for (int i = 0; i < t->nodes; i++) load += where[i] == rank ? t->loads[i] : 0.0;
    return load;
}

static int cut_of(const tiny *t, const int32_t *where)
{
    int cut = 0;
    for (int i = 0; i < t->nodes; i++)
        for (int j = 0; j < i; j++) cut += where[i] != where[j] ? t->weights[i][j] : 0;
    return cut;
}

/* How many connected pieces the rank's nodes are. */
static int pieces_of(const tiny *t, const int32_t *where, int rank)
{
    int of[NODES], pieces = 0;
    for (int i = 0; i < t->nodes; i++) of[i] = i;
    for (int round = 0; round < t->nodes; round++)
        for (int i = 0; i < t->nodes; i++)
            for (int j = 0; j < t->nodes; j++)
                if (t->weights[i][j] > 0 && where[i] == rank && where[j] == rank && of[j] < of[i]) of[i] = of[j];
    for (int i = 0; i < t->nodes; i++) pieces += where[i] == rank && of[i] == i;
    return pieces;
}

/* What lists, loads and links say is what follows from where nodes are. */
static void check_state(const tiny *t)
{
    const plan_graph *g = &t->state.graph;
    for (int r = 0; r < t->ranks; r++) {
        const plan_part *p = &t->state.parts[r];
        int64_t contact[RANKS] = { 0 }, own = 0;
        for (int i = 0; i < t->nodes; i++) {
            own += g->where[i] == r;
            for (int j = 0; j < t->nodes && g->where[i] == r; j++)
                if (g->where[j] != r) contact[g->where[j]] += t->weights[i][j];
        }
        assert_int_equal(p->own.count, own);
        assert_true(fabs(p->load - load_of(t, g->where, r)) < 1e-9);
        for (int q = 0; q < t->ranks; q++) {
            const int link = pen_part_link(p, q);
            assert_int_equal(link < 0 ? 0 : p->links.contact[link], contact[q]);
        }
    }
}

TEST(moves_keep_lists_and_links)
{
    for (uint64_t seed = 0; seed < WORLDS; seed++) {
        tiny t;
        uint64_t dice = pen_mix(seed + 17);
        make(seed, RANKS, &t);
        check_state(&t);
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < t.nodes; i++) {
                const int to = (int)balance_draw(&dice, RANKS);
                if (to != t.state.graph.where[i])
                    assert_ok(pen_part_give(&t.state.parts[t.state.graph.where[i]], i, to));
            }
            assert_ok(pen_state_move(&t.state));
            check_state(&t);
        }
        destroy(&t);
    }
}

/* The sum of flow^2 / conductance, which is least: around any three ranks a little more flow makes it more. */
static double energy(const tiny *t, double flow[RANKS][RANKS])
{
    double sum = 0.0;
    for (int p = 0; p < t->ranks; p++)
        for (int k = 0; k < t->state.parts[p].links.count; k++) {
            const plan_links *l = &t->state.parts[p].links;
            const double conductance = l->contact[k] > 0 ? (double)l->contact[k] : 1e-6;
            sum += flow[p][l->ranks[k]] * flow[p][l->ranks[k]] / conductance;
        }
    return sum;
}

TEST(flows_balance_with_the_least_energy)
{
    int circles = 0;
    for (uint64_t seed = 0; seed < WORLDS; seed++) {
        tiny t;
        int steps;
        double flow[RANKS][RANKS] = { { 0.0 } }, total = 0.0;
        make(seed, RANKS, &t);
        for (int i = 0; i < t.nodes; i++) total += t.loads[i];
        for (int r = 0; r < RANKS; r++) t.state.team->shares[r].load = total / RANKS;
        assert_ok(pen_flow_solve(&t.state, 1e-9, false, &steps));
        for (int r = 0; r < RANKS; r++) {
            const plan_links *l = &t.state.parts[r].links;
            double left = load_of(&t, t.where, r);
            for (int k = 0; k < l->count; k++) {
                flow[r][l->ranks[k]] = l->flow[k];
                left -= l->flow[k];
            }
            assert_true(fabs(left - total / RANKS) < 1e-4);
        }
        const double least = energy(&t, flow);
        for (int a = 0; a < RANKS; a++)
            for (int b = 0; b < RANKS; b++)
                for (int c = 0; c < RANKS; c++) {
                    const plan_part *p = t.state.parts;
                    if (a == b || b == c || a == c || pen_part_link(&p[a], b) < 0 || pen_part_link(&p[b], c) < 0 ||
                        pen_part_link(&p[c], a) < 0)
                        continue;
                    const int ring[4] = { a, b, c, a };
                    double more[RANKS][RANKS];
                    memcpy(more, flow, sizeof more);
                    for (int k = 0; k < 3; k++) {
                        more[ring[k]][ring[k + 1]] += 0.01;
                        more[ring[k + 1]][ring[k]] -= 0.01;
                    }
                    assert_true(energy(&t, more) > least - 1e-6 * (1.0 + least));
                    circles++;
                }
        destroy(&t);
    }
    assert_true(circles > WORLDS);
}

/* As far as nodes allow, a rank gives what flows out: to each rank within half of its heaviest node. */
TEST(flows_get_nodes)
{
    int given = 0;
    for (uint64_t seed = 0; seed < WORLDS; seed++) {
        tiny t;
        double moved, sent[RANKS] = { 0.0 };
        make(seed, RANKS, &t);
        plan_part *p = &t.state.parts[0];
        const plan_target target = { .mean = 1e-3, .slack = 0.02 };
        const double out = p->load / RANKS;
        for (int k = 0; k < p->links.count; k++) p->links.flow[k] = p->links.contact[k] > 0 ? out : 0.0;
        assert_ok(pen_select_nodes(p, &target, &moved));
        for (int64_t i = 0; i < p->move_count; i++) {
            assert_int_equal(t.state.graph.where[p->moves[i].node], 0);
            sent[p->moves[i].to] += t.loads[p->moves[i].node];
            for (int64_t j = 0; j < i; j++) assert_int_not_equal(p->moves[j].node, p->moves[i].node);
        }
        for (int r = 1; r < RANKS; r++) assert_true(sent[r] <= out + 0.5 * 4.0);
        assert_true(fabs(moved - sent[1] - sent[2] - sent[3]) < 1e-9);
        given += p->move_count > 0;
        assert_true(p->own.count == 0 || p->move_count < p->own.count); /* one node stays */
        for (int i = 0; i < t.nodes; i++) assert_int_equal(t.state.graph.scratch[i], 0);
        destroy(&t);
    }
    assert_true(given > WORLDS / 4);
}

/* The nodes that a rank gives to one other rank, beside all sets of its nodes that weigh as much: mostly the cut
 * becomes as small as with the best set, and little greater in the mean. Each node touched that rank, or one given
 * before; and no other node that does fits in: it weighs more than twice what is missing, or the rank would keep too
 * little. */
TEST(nodes_for_a_flow_cut_few_edges)
{
    int given = 0, best_found = 0, cuts = 0, leasts = 0, kept = 0;
    for (uint64_t seed = 0; seed < WORLDS; seed++) {
        tiny t;
        double moved;
        int32_t where[NODES];
        bool mine[NODES];
        make(seed, 2, &t);
        plan_part *p = &t.state.parts[0];
        const int link = pen_part_link(p, 1);
        const bool needed = seed % 2 == 0; /* most of its load must stay */
        const plan_target target = { .mean = (needed ? 2.0 : 1e-3) * p->load, .slack = 1e-3 };
        const double asked = 0.25 * p->load * (1.0 + (double)(seed % 3)), keep = 0.34 * target.mean;
        if (p->own.count > 1 && p->links.contact[link] > 0) {
            p->links.flow[link] = asked;
            assert_ok(pen_select_nodes(p, &target, &moved));
            memcpy(where, t.where, sizeof where);
            for (int64_t k = 0; k < p->move_count; k++) {
                const pen_lid node = p->moves[k].node;
                bool touches = false;
                for (int j = 0; j < t.nodes; j++) touches = touches || (t.weights[node][j] > 0 && where[j] == 1);
                assert_true(touches && p->moves[k].to == 1);
                where[node] = 1;
            }
            assert_true(fabs(p->links.flow[link] - (asked - moved)) < 1e-9);
            assert_true(p->move_count == 0 || p->load - moved >= keep - 1e-9);
            for (int i = 0; i < t.nodes && p->move_count + 1 < p->own.count; i++)
                for (int j = 0; j < t.nodes && where[i] == 0; j++)
                    if (t.weights[i][j] > 0 && where[j] == 1) {
                        const bool stays = p->load - moved - t.loads[i] < keep;
                        assert_true(stays || 2.0 * (asked - moved) < t.loads[i] + 1e-9);
                        kept += stays;
                    }
            for (int i = 0; i < t.nodes; i++) mine[i] = t.where[i] == 0;
            const int cut = cut_of(&t, where);
            int least = cut;
            for (int bits = 1; bits < 1 << t.nodes; bits++) {
                int32_t other[NODES];
                bool legal = true;
                for (int i = 0; i < t.nodes && legal; i++) {
                    other[i] = bits >> i & 1 ? 1 : t.where[i];
                    legal = !(bits >> i & 1) || mine[i];
                }
                if (!legal || fabs(load_of(&t, other, 0) - (p->load - moved)) > 1e-9) continue;
                least = cut_of(&t, other) < least ? cut_of(&t, other) : least;
            }
            given += p->move_count > 0;
            best_found += p->move_count > 0 && cut == least;
            cuts += cut;
            leasts += least;
        }
        destroy(&t);
    }
    assert_true(given > WORLDS / 4 && kept > 0);
    if (10 * best_found < 6 * given || 100 * cuts > 110 * leasts)
        fail_msg("the least cut in %d of %d cases; all cuts %d, least ones %d", best_found, given, cuts, leasts);
}

/* In a connected graph with room everywhere, each rank's nodes are one piece in the end, if passes suffice. */
TEST(pieces_are_joined)
{
    int split = 0, left_over = 0;
    for (uint64_t seed = 0; seed < WORLDS; seed++) {
        tiny t;
        int64_t found, left;
        int before = 0, after = 0;
        make(seed, RANKS, &t);
        for (int r = 0; r < RANKS; r++) before += pieces_of(&t, t.where, r) - (t.state.parts[r].own.count > 0);
        assert_ok(pen_pieces_repair(&t.state, 1e9, &found, &left));
        for (int r = 0; r < RANKS; r++)
            after += pieces_of(&t, t.state.graph.where, r) - (t.state.parts[r].own.count > 0);
        assert_int_equal(found, before);
        assert_true(after <= before);
        split += before;
        left_over += after;
        check_state(&t);
        destroy(&t);
    }
    assert_true(split > WORLDS);
    if (50 * left_over > split) fail_msg("%d of %d pieces are left", left_over, split);
}

/* Between two ranks, compared with all assignments of nodes within the same bounds: never worse than before, mostly the
 * least cut, and little more than that in the mean. */
TEST(pairs_get_short_borders)
{
    int best_found = 0, improved = 0, feasible = 0, cuts = 0, leasts = 0;
    for (uint64_t seed = 0; seed < WORLDS / 2; seed++) {
        tiny t;
        int64_t changed[2];
        int32_t where[NODES];
        make(seed, 2, &t);
        const double mean = 0.5 * (t.state.parts[0].load + t.state.parts[1].load), slack = 4.0;
        refine_side sides[2] = { { .stake.rank = 0 }, { .stake.rank = 1 } };
        for (int s = 0; s < 2; s++) {
            const plan_part *p = &t.state.parts[s];
            sides[s].stake = (refine_stake){ s, p->own.count, p->load, mean - slack, mean + slack, -1 };
            sides[s].first = s == 0 ? 0 : (int32_t)sides[0].most;
            assert_ok(pen_band_begin(&t.state.graph, &p->border, pen_band_size(p), 1 - s, &sides[s]));
        }
        if (sides[0].stake.own > 0 && sides[1].stake.own > 0) {
            assert_ok(pen_refine_pair(&t.state.graph, sides, 0, changed));
            memcpy(where, t.where, sizeof where);
            for (int s = 0; s < 2; s++)
                for (int64_t i = 0; i < changed[s]; i++) where[sides[s].band.nodes[i]] = 1 - s;
            const int before = cut_of(&t, t.where), after = cut_of(&t, where);
            const double off = fabs(t.state.parts[0].load - mean), now = fabs(load_of(&t, where, 0) - mean);
            assert_true(now <= fmax(off, slack) + 1e-9);
            if (off <= slack) {
                int least = before;
                assert_true(after <= before);
                for (int bits = 1; bits + 1 < 1 << t.nodes; bits++) {
                    int32_t other[NODES];
                    for (int i = 0; i < t.nodes; i++) other[i] = bits >> i & 1;
                    if (fabs(load_of(&t, other, 0) - mean) > slack) continue;
                    const int cut = cut_of(&t, other);
                    least = cut < least ? cut : least;
                }
                feasible++;
                assert_true(after >= least);
                best_found += after == least;
                cuts += after;
                leasts += least;
                improved += after < before;
            }
        }
        for (int i = 0; i < t.nodes; i++) assert_int_equal(t.state.graph.scratch[i], 0);
        for (int s = 0; s < 2; s++) pen_side_free(&sides[s]);
        destroy(&t);
    }
    assert_true(feasible > WORLDS / 8 && improved > feasible / 2);
    if (10 * best_found < 6 * feasible || 100 * cuts > 115 * leasts)
        fail_msg("the least cut in %d of %d cases; all cuts %d, least ones %d", best_found, feasible, cuts, leasts);
}

/* A band has the nodes of its rank that are nearest to the other rank's, in this order. */
TEST(bands_are_the_nearest_nodes)
{
    int whole = 0, partial = 0;
    for (uint64_t seed = 0; seed < WORLDS; seed++) {
        tiny t;
        int far[NODES], placed[NODES] = { 0 }, reached = 0;
        make(seed, 2, &t);
        const plan_part *p = &t.state.parts[0];
        refine_side side = { .stake = { .rank = 0, .pinned = seed % 3 == 0 ? t.gids[0] : -1 } };
        const int64_t most = 1 + (int64_t)(seed % 5);
        for (int i = 0; i < t.nodes; i++) far[i] = NODES;
        for (int distance = 0; distance < NODES; distance++)
            for (int i = 0; i < t.nodes; i++)
                for (int j = 0; j < t.nodes; j++)
                    if (t.weights[i][j] > 0 && t.where[i] == 0 && t.gids[i] != side.stake.pinned && far[i] == NODES &&
                        (distance == 0 ? t.where[j] == 1 : far[j] == distance - 1))
                        far[i] = distance;
        for (int i = 0; i < t.nodes; i++) reached += far[i] < NODES;
        assert_ok(pen_band_begin(&t.state.graph, &p->border, most, 1, &side));
        pen_band_grow(&t.state.graph, &side, -1);
        assert_int_equal(side.band.count, reached < most ? reached : most);
        for (int64_t i = 0; i < side.band.count; i++) {
            const pen_lid node = side.band.nodes[i];
            placed[node]++;
            assert_int_equal(t.state.graph.scratch[node], i + 1);
            assert_true(far[node] < NODES && (i == 0 || far[node] >= far[side.band.nodes[i - 1]]));
        }
        for (int i = 0; i < t.nodes; i++) {
            assert_true(placed[i] <= 1);
            if (placed[i] == 0 && far[i] < NODES) assert_true(far[i] >= far[side.band.nodes[side.band.count - 1]]);
        }
        whole += reached <= most;
        partial += reached > most;
        pen_band_clear(&t.state.graph, &side);
        for (int i = 0; i < t.nodes; i++) assert_int_equal(t.state.graph.scratch[i], 0);
        pen_side_free(&side);
        destroy(&t);
    }
    assert_true(whole > WORLDS / 10 && partial > WORLDS / 10);
}

/* The ranks whose heaviest node is above the mean of the others, of all sets of ranks: they get that node's load. */
TEST(targets_follow_heavy_nodes)
{
    int heavy = 0;
    for (uint64_t seed = 0; seed < WORLDS; seed++) {
        uint64_t dice = pen_mix(seed + 9);
        double heaviest[RANKS], load = 0.0, most = 0.0, off, expected_off = 0.0;
        int sets = 0;
        plan_team team;
        assert_ok(pen_team_create(NULL, RANKS, &team));
        for (int r = 0; r < RANKS; r++) {
            heaviest[r] = 1.0 + (double)balance_draw(&dice, 1 + 30 * balance_draw(&dice, 2));
            team.shares[r] = (plan_share){ .speed = 1.0,
                                           .heaviest = heaviest[r],
                                           .load = heaviest[r] + (double)balance_draw(&dice, 12),
                                           .pinned = r };
            load += team.shares[r].load;
            most = fmax(most, heaviest[r]);
        }
        const plan_target target = { .mean = load / RANKS, .heaviest = most };
        double before[RANKS];
        for (int r = 0; r < RANKS; r++) before[r] = team.shares[r].load;
        assert_ok(pen_team_find_targets(&team, load, 1.0, &target, &off));
        for (int set = 0; set + 1 < 1 << RANKS; set++) {
            double rest = load;
            int others = RANKS;
            bool right = true;
            for (int r = 0; r < RANKS; r++) {
                rest -= set >> r & 1 ? heaviest[r] : 0.0;
                others -= set >> r & 1;
            }
            rest /= others;
            for (int r = 0; r < RANKS; r++) right = right && (heaviest[r] > rest + 1e-9) == (set >> r & 1);
            if (!right) continue;
            sets++;
            heavy += set != 0;
            for (int r = 0; r < RANKS; r++) {
                const double goal = set >> r & 1 ? heaviest[r] : rest;
                assert_true(fabs(team.shares[r].load - goal) < 1e-9);
                assert_int_equal(team.shares[r].pinned, set >> r & 1 ? r : -1);
                expected_off = fmax(expected_off, fabs(before[r] - goal));
            }
            assert_true(fabs(off - expected_off) < 1e-9);
        }
        assert_int_equal(sets, 1);
        pen_team_free(&team);
    }
    assert_true(heavy > WORLDS / 4);
}

/* What one end of a link sends comes to the other end. */
TEST(links_have_two_ends)
{
    for (uint64_t seed = 0; seed < WORLDS / 10; seed++) {
        tiny t;
        int mine[RANKS * RANKS], theirs[RANKS * RANKS], ranks[RANKS];
        make(seed, RANKS, &t);
        for (int r = 0; r < RANKS; r++) {
            ranks[r] = 100 + r;
            for (int k = 0; k < t.state.parts[r].links.count; k++)
                mine[t.state.parts[r].first_link + k] = 10 * r + t.state.parts[r].links.ranks[k];
        }
        assert_ok(pen_state_swap(&t.state, sizeof *mine, mine, theirs));
        assert_ok(pen_state_share(&t.state, sizeof *ranks, ranks));
        for (int r = 0; r < RANKS; r++)
            for (int k = 0; k < t.state.parts[r].links.count; k++) {
                const int other = t.state.parts[r].links.ranks[k];
                assert_int_equal(theirs[t.state.parts[r].first_link + k], 10 * other + r);
                assert_int_equal(*(const int *)pen_shared(&t.state, &t.state.parts[r], k), 100 + other);
            }
        destroy(&t);
    }
}

/* The weight between clusters is that of the edges between their nodes. */
static void check_cluster_edges(const tiny *t, const levels *l)
{
    const level *clusters = &l->list[1];
    const pen_lid *parents = l->list[0].parents;
    for (int c = 0; c < clusters->count; c++) {
        int64_t weights[NODES] = { 0 };
        for (int i = 0; i < t->nodes; i++)
            for (int j = 0; j < t->nodes; j++)
                if (parents[i] == c && parents[j] != c) weights[parents[j]] += t->weights[i][j];
        for (uint32_t a = clusters->rows[c]; a < clusters->rows[c + 1]; a++) {
            assert_true(weights[clusters->columns[a]] > 0 && clusters->weights[a] == weights[clusters->columns[a]]);
            weights[clusters->columns[a]] = 0;
        }
        for (int d = 0; d < clusters->count; d++) assert_int_equal(weights[d], 0);
    }
}

TEST(clusters_are_connected)
{
    for (uint64_t seed = 0; seed < WORLDS; seed++) {
        tiny t;
        levels l;
        make(seed, RANKS, &t);
        const pen_load_view view = { .count = t.nodes,
                                     .gids = t.gids,
                                     .loads = t.loads,
                                     .rows = t.rows,
                                     .columns = t.columns,
                                     .edge_weights = t.edge_weights };
        assert_ok(pen_levels_create(&view, t.where, &t.team, &l));
        assert_ok(pen_levels_add(&l, 0, 6.0));
        for (int c = 0; l.count > 1 && c < l.list[1].count; c++) {
            int32_t in[NODES];
            double load = 0.0;
            int nodes = 0;
            for (int i = 0; i < t.nodes; i++) {
                in[i] = l.list[0].parents[i] == c;
                nodes += in[i];
                load += in[i] ? t.loads[i] : 0.0;
                if (in[i]) assert_int_equal(t.where[i], l.list[1].homes[c]);
            }
            assert_int_equal(pieces_of(&t, in, 1), 1);
            assert_int_equal(l.list[1].sizes[c], nodes);
            assert_true(fabs(l.list[1].loads[c] - load) < 1e-9 && (nodes == 1 || load <= 6.0));
        }
        if (l.count > 1) check_cluster_edges(&t, &l);
        pen_levels_free(&l);
        destroy(&t);
    }
}

TEST(scores_are_compared_in_order)
{
    const plan_score base = { .excess = 10.0, .lack = 2.0, .pieces = 1.0, .cost = 50.0 };
    plan_score lighter = base, closer = base, whole = base, cheaper = base;
    lighter.excess = 9.0, lighter.lack = 5.0;
    closer.lack = 1.0, closer.pieces = 9.0;
    whole.pieces = 0.0, whole.cost = 90.0;
    cheaper.cost = 49.0;
    const plan_score better[] = { lighter, closer, whole, cheaper };
    assert_false(pen_score_is_better(&base, &base));
    for (int k = 0; k < 4; k++) {
        assert_true(pen_score_is_better(&better[k], &base));
        assert_false(pen_score_is_better(&base, &better[k]));
        for (int j = k + 1; j < 4; j++) assert_true(pen_score_is_better(&better[k], &better[j]));
    }
}
