/* central_test.c - the balancer central on virtual ranks, and its setting `published` against a plain reading of the
 * rule. */
#include "tests/support/unit.h"

#include "rebalance/balancers.h"
#include "tests/support/balance_cases.h"

static const pen_balancer *const central = &pen_balancer_central;

/* ---- The published rule ----------------------------------------------------------------------- */

static double load_of(const pen_virtual_world *w, int rank)
{
    double sum = 0;
    for (int32_t i = 0; i < w->nodes; i++)
        if (w->owners[i] == rank) sum += w->loads[i];
    return sum;
}

static double time_of(const pen_virtual_world *w, int rank)
{
    return load_of(w, rank) / (w->machine ? w->machine->speeds[rank] : 1.0);
}

static bool touches(const pen_virtual_world *w, int32_t node, int rank)
{
    for (uint32_t j = w->rows[node]; j < w->rows[node + 1]; j++)
        if (w->owners[w->columns[j]] == rank) return true;
    return false;
}

/* Nodes of `to` that `from` reads. */
static int buffer(const pen_virtual_world *w, int from, int to)
{
    int length = 0;
    for (int32_t i = 0; i < w->nodes; i++) length += from != to && w->owners[i] == to && touches(w, i, from);
    return length;
}

/* The idle neighbour of a busy rank, or -1. */
static int idle_of(const pen_virtual_world *w, int rank)
{
    int idle = -1;
    for (int q = 0; q < w->ranks; q++) {
        if (buffer(w, rank, q) == 0) continue;
        if (time_of(w, rank) == 0 || time_of(w, rank) < 1.25 * time_of(w, q)) return -1;
        if (idle < 0 || time_of(w, q) < time_of(w, idle) ||
            (time_of(w, q) == time_of(w, idle) && buffer(w, rank, q) > buffer(w, rank, idle)))
            idle = q;
    }
    return idle;
}

/* Weight of a node's edges to a rank. */
static int64_t links(const pen_virtual_world *w, int32_t node, int rank)
{
    int64_t sum = 0;
    for (uint32_t j = w->rows[node]; j < w->rows[node + 1]; j++)
        if (w->owners[w->columns[j]] == rank) sum += w->edge_weights ? w->edge_weights[j] : 1;
    return sum;
}

/* The node that moves: each in turn is moved, and the whole cut counted. */
static int32_t candidate(pen_virtual_world *w, int busy, int idle)
{
    int32_t best = -1;
    int64_t lowest = 0;
    for (int32_t i = 0; i < w->nodes; i++) {
        pen_quality quality;
        if (w->owners[i] != busy || !touches(w, i, idle)) continue;
        w->owners[i] = idle;
        assert_ok(pen_virtual_world_measure(w, &quality));
        w->owners[i] = busy;
        if (best < 0 || quality.cut < lowest || (quality.cut == lowest && links(w, i, idle) > links(w, best, idle))) {
            best = i;
            lowest = quality.cut;
        }
    }
    return best;
}

TEST(published_is_the_rule)
{
    uint64_t state = 1;
    int pairs = 0, none = 0;
    for (int k = 0; k < 1000; k++) {
        pen_virtual_world w;
        pen_virtual_outcome outcome;
        int32_t expected[64], nodes[8], to[8], n = 0;
        balance_case(&state, &w);
        memcpy(expected, w.owners, (size_t)w.nodes * sizeof *expected);
        for (int r = 0; r < w.ranks; r++) {
            int idle = idle_of(&w, r);
            if (idle < 0) continue;
            nodes[n] = candidate(&w, r, idle);
            to[n++] = idle;
        }
        for (int i = 0; i < n; i++) expected[nodes[i]] = to[i];
        assert_ok(pen_virtual_world_balance(&w, central, "published", NULL, k % 2, &outcome));
        assert_memory_equal(w.owners, expected, (size_t)w.nodes * sizeof *expected);
        assert_int_equal(outcome.moved, n);
        pairs += n > 1;
        none += n == 0;
        pen_virtual_world_free(&w);
    }
    assert_true(pairs > 20); /* several in parallel */
    assert_true(none > 50);
}

/* ---- The default ------------------------------------------------------------------------------ */

TEST(never_worse)
{
    uint64_t state = 2;
    int better = 0, hindered = 0;
    for (int k = 0; k < unit_cases; k++) {
        pen_virtual_world w;
        pen_quality quality;
        balance_case(&state, &w);
        assert_ok(pen_virtual_world_measure(&w, &quality));
        bool moved = balance_never_worse(&w, central, "") > 0;
        better += moved;
        hindered += !moved && !w.machine && quality.imbalance > quality.bound * 1.5;
        pen_virtual_world_free(&w);
    }
    assert_true(better > unit_cases * 2 / 5);
    if (hindered >= unit_cases / 100) fail_msg("%d of %d cases hindered", hindered, unit_cases);
}

TEST(the_same_again)
{
    uint64_t state = 3;
    for (int k = 0; k < 500; k++) {
        pen_virtual_world w;
        balance_case(&state, &w);
        balance_same_again(&w, central, k % 4 ? "" : "published", true);
        pen_virtual_world_free(&w);
    }
}

/* Imbalance after at most `calls` calls; how many nodes moved in the last one. */
static double imbalance_after(pen_virtual_world *w, const char *settings, int calls, int64_t *moved)
{
    pen_virtual_outcome outcome;
    pen_quality quality;
    for (int k = 0; k < calls; k++) assert_ok(pen_virtual_world_balance(w, central, settings, NULL, false, &outcome));
    assert_ok(pen_virtual_world_measure(w, &quality));
    *moved = outcome.moved;
    return quality.imbalance;
}

/* 4 ranks of 8 nodes in a row, of which neighbours 1 and 2 are heavy. By the published rule no rank is busy. */
TEST(two_heavy_neighbours)
{
    pen_virtual_world w;
    int64_t moved;
    assert_ok(pen_virtual_hex(4, 4, 8, &w));
    for (int32_t i = 8; i < 24; i++) w.loads[i] = 3;
    assert_true(imbalance_after(&w, "published", 1, &moved) == 1.5);
    assert_int_equal(moved, 0);
    double imbalance = imbalance_after(&w, "", 1, &moved);
    if (imbalance > 1.13) fail_msg("imbalance %g, where 1.125 is within reach", imbalance);
    pen_virtual_world_free(&w);
}

static void assert_spread(const pen_virtual_world *w, double imbalance, int64_t cut)
{
    pen_quality quality;
    assert_ok(pen_virtual_world_measure(w, &quality));
    if (quality.imbalance > imbalance || quality.cut > cut)
        fail_msg("imbalance %g, at most %g; cut %" PRId64 ", at most %" PRId64, quality.imbalance, imbalance,
                 quality.cut, cut);
}

/* Three of four ranks are heavy: the innermost one's load passes through other heavy ranks. */
TEST(load_flows_through_a_heavy_region)
{
    pen_virtual_world w;
    int64_t moved;
    assert_ok(pen_virtual_hex(4, 8, 32, &w));
    for (int32_t i = 0; i < 192; i++) w.loads[i] = 2;
    imbalance_after(&w, "", 1, &moved);
    assert_spread(&w, 1.02, 70);
    pen_virtual_world_free(&w);
}

/* A hot rank among light ones, which cannot pass on more than they have: they pass on in the next call what they get in
 * one. */
TEST(nobody_sends_more_than_it_has)
{
    pen_virtual_world w;
    int64_t moved;
    assert_ok(pen_virtual_hex(9, 6, 54, &w));
    for (int32_t i = 144; i < 180; i++) w.loads[i] = 50;
    double before = 9 * 50.0 / 58, imbalance = imbalance_after(&w, "", 1, &moved);
    if (imbalance > before * 0.55) fail_msg("imbalance %g of %g", imbalance, before);
    imbalance_after(&w, "", 4, &moved);
    assert_spread(&w, 1.2, 200);
    pen_virtual_world_free(&w);
}

/* All nodes are on one rank, or on two; the other ranks have no border with them, and are joined to them. By the
 * published rule no rank is busy: one rank has no neighbour, two are equally busy. */
TEST(empty_ranks_get_nodes)
{
    for (int owners = 1; owners <= 2; owners++) {
        pen_virtual_world w;
        int64_t moved;
        assert_ok(pen_virtual_hex(7, 20, 20, &w));
        for (int32_t i = 0; i < w.nodes; i++) w.owners[i] = 3 + i * owners / w.nodes;
        assert_true(imbalance_after(&w, "published", 1, &moved) == 7.0 / owners);
        assert_int_equal(moved, 0);
        imbalance_after(&w, "", 1, &moved);
        assert_spread(&w, 1.02, 480);
        pen_virtual_world_free(&w);
    }
}

TEST(nothing_to_do)
{
    static const char *const settings[] = { "", "published" };
    pen_virtual_world w;
    int64_t moved;
    for (int k = 0; k < 2; k++) {
        assert_ok(pen_virtual_hex(1, 6, 6, &w)); /* one rank */
        imbalance_after(&w, settings[k], 1, &moved);
        assert_int_equal(moved, 0);
        pen_virtual_world_free(&w);
        assert_ok(pen_virtual_hex(4, 6, 6, &w)); /* balanced */
        imbalance_after(&w, settings[k], 1, &moved);
        assert_int_equal(moved, 0);
        for (int32_t i = 0; i < w.nodes; i++) w.loads[i] = 0; /* no load */
        imbalance_after(&w, settings[k], 1, &moved);
        assert_int_equal(moved, 0);
        pen_virtual_world_free(&w);
        assert_ok(pen_virtual_hex(9, 2, 2, &w)); /* more ranks than nodes */
        imbalance_after(&w, settings[k], 1, &moved);
        assert_int_equal(moved, 0);
        for (int32_t i = 0; i < w.nodes; i++) w.owners[i] = 8;
        assert_true(imbalance_after(&w, settings[k], 1, &moved) == (k == 0 ? 2.25 : 9));
        pen_virtual_world_free(&w);
    }
}

/* Nodes without load do not move for their own sake: only those on the way to heavy ones may. */
TEST(nodes_without_load_stay)
{
    static const int32_t edges[][2] = { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 4 }, { 4, 5 }, { 5, 6 }, { 6, 7 } };
    static const double loads[8] = { 1, 1, 0, 0, 4, 0, 4, 4 };
    for (int32_t count = 0; count <= 7; count += 7) { /* without edges none is on the way */
        pen_virtual_world w;
        pen_virtual_outcome outcome;
        assert_ok(pen_virtual_edges(2, 8, count, edges, &w));
        memcpy(w.loads, loads, sizeof loads);
        for (int32_t i = 0; i < 8; i++) w.owners[i] = i < 2;
        assert_ok(pen_virtual_world_balance(&w, central, "", NULL, false, &outcome));
        assert_int_equal(outcome.moved, count ? 3 : 1);
        for (int32_t i = 0; i < 8; i++) assert_int_equal(w.owners[i], i < 2 || i == 4 || (count && i < 4));
        pen_virtual_world_free(&w);
    }
}

TEST(settings_are_checked)
{
    pen_virtual_world w;
    assert_ok(pen_virtual_hex(1, 2, 2, &w));
    assert_int_equal(pen_virtual_world_balance(&w, central, "publshed", NULL, false, NULL), PEN_ERR_INPUT);
    assert_string_equal(pen_error_message(),
                        "balancer central: unknown setting publshed: did you mean published? Known: published");
    pen_virtual_world_free(&w);
}

/* Wherever memory runs out, all ranks learn it, and nothing has moved. */
TEST(memory_runs_out)
{
    pen_virtual_world w;
    pen_virtual_outcome outcome;
    int failures = 0;
    pen_status status = PEN_ERR_MEMORY;
    assert_ok(pen_virtual_hex(3, 6, 6, &w));
    for (int32_t i = 0; i < 12; i++) w.loads[i] = 5;
    for (int64_t k = 1; status == PEN_ERR_MEMORY; k++) {
        pen_alloc_countdown = k;
        status = pen_virtual_world_balance(&w, central, "", NULL, false, &outcome);
        pen_alloc_countdown = 0;
        failures += status == PEN_ERR_MEMORY;
    }
    assert_ok(status);
    assert_true(failures > 30);
    assert_true(outcome.moved > 0);
    pen_virtual_world_free(&w);
}
