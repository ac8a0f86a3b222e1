/* repartition_test.c - the balancers metis and scotch on virtual ranks, and their parts. */
#include "tests/support/unit.h"

#include "partition/gather.h"
#include "rebalance/balancers.h"
#include "rebalance/rename.h"
#include "tests/support/balance_cases.h"
#include "view/view.h"

static const pen_balancer *const metis = &pen_balancer_metis, *const scotch = &pen_balancer_scotch;

/* ---- Names ------------------------------------------------------------------------------------ */

/* The largest weight that any permutation of names, of which `used` are given, keeps in place. */
static int64_t most_kept(int ranks, int64_t overlaps[6][6], int rank, unsigned used)
{
    int64_t best = 0;
    for (int k = 0; rank < ranks && k < ranks; k++) {
        if (used & 1U << k) continue;
        int64_t kept = overlaps[rank][k] + most_kept(ranks, overlaps, rank + 1, used | 1U << k);
        if (kept > best) best = kept;
    }
    return best;
}

TEST(names_keep_most_in_place)
{
    uint64_t state = 1;
    for (int round = 0; round < 3000; round++) {
        enum { NODES = 24 };
        int ranks = 1 + (int)(case_random(&state) % 6);
        int32_t owners[NODES], part[NODES], before[NODES], name[6] = { -1, -1, -1, -1, -1, -1 };
        int64_t sizes[NODES], overlaps[6][6] = { { 0 } }, kept = 0;
        for (int i = 0; i < NODES; i++) {
            owners[i] = i * ranks / NODES;
            before[i] = part[i] = (int32_t)(case_random(&state) % (uint64_t)ranks);
            sizes[i] = (int64_t)(case_random(&state) % 9) << (round % 2 ? 50 : 0);
            overlaps[owners[i]][part[i]] += sizes[i];
        }
        assert_ok(pen_rename_parts(NULL, ranks, NODES, owners, sizes, part));
        for (int i = 0; i < NODES; i++) {
            if (name[before[i]] < 0) name[before[i]] = part[i];
            assert_int_equal(part[i], name[before[i]]);
            assert_in_range(part[i], 0, ranks - 1);
            kept += owners[i] == part[i] ? sizes[i] : 0;
        }
        for (int k = 0; k < ranks; k++)
            for (int l = 0; l < k; l++) assert_true(name[k] < 0 || name[k] != name[l]);
        assert_int_equal(kept, most_kept(ranks, overlaps, 0, 0));
    }
}

/* Parts that are the old ones by other names, each with a stranger in it. */
TEST(many_names_are_found)
{
    enum { RANKS = 2000, EACH = 4 };
    static int32_t owners[RANKS * EACH], part[RANKS * EACH];
    static int64_t sizes[RANKS * EACH];
    for (int i = 0; i < RANKS * EACH; i++) {
        owners[i] = i / EACH;
        part[i] = (owners[i] * 7 + (i % EACH == 0) * 3 + 5) % RANKS;
        sizes[i] = 1;
    }
    assert_ok(pen_rename_parts(NULL, RANKS, RANKS * EACH, owners, sizes, part));
    for (int i = 0; i < RANKS * EACH; i++)
        if (i % EACH > 0) assert_int_equal(part[i], owners[i]);
}

/* Ranks 0 and 1 are slow, 2 and 3 fast: parts are given to ranks of the kind that they were made for. */
TEST(parts_stay_with_their_kind)
{
    enum { RANKS = 4, EACH = 3 };
    pen_machine *machine;
    assert_ok(pen_machine_generate("flat,speeds=1:1:3:3", RANKS, &machine));
    for (int32_t swap = 0; swap < RANKS; swap++) {
        int32_t owners[RANKS * EACH], part[RANKS * EACH];
        int64_t sizes[RANKS * EACH];
        for (int32_t i = 0; i < RANKS * EACH; i++) {
            owners[i] = i / EACH;
            part[i] = owners[i] ^ swap;
            sizes[i] = 8;
        }
        assert_ok(pen_rename_parts(machine, RANKS, RANKS * EACH, owners, sizes, part));
        for (int32_t i = 0; i < RANKS * EACH; i++) {
            assert_true(machine->speeds[part[i]] == machine->speeds[owners[i] ^ swap]);
            if (swap < 2) assert_int_equal(part[i], owners[i]);
        }
    }
    pen_machine_destroy(&machine);
}

/* Two neighbouring nodes; there is no gid beyond the largest one. */
TEST(the_greatest_gid_is_one)
{
    static const pen_gid gids[] = { INT64_MAX, 0 }, neighbors[] = { 0, INT64_MAX };
    static const double loads[] = { 1, 1 };
    static const int64_t rows[] = { 0, 1, 2 };
    static const int32_t owners[] = { 0, 0 };
    const pen_view_rows listed = { 2, gids, loads, rows, neighbors, owners, NULL, NULL };
    pen_load_view view;
    assert_ok(pen_load_view_create(0, &listed, &view));
    assert_int_equal(view.columns[0], 1);
    assert_int_equal(view.columns[1], 0);
    pen_load_view_free(&view);
}

/* ---- Gathering -------------------------------------------------------------------------------- */

static const pen_virtual_world *gathered_world;
static bool sorted_by_gid;

/* On rank 0: row by row the world's nodes are `nodes`. */
static pen_status compare(const pen_virtual_world *w, const pen_gathered *g, const int32_t *nodes)
{
    const pen_serial_graph *s = &g->graph;
    double sum = 0, scaled = 0;
    if (s->nodes != w->nodes) return pen_fail(PEN_ERR_ARGUMENT, "%d nodes", s->nodes);
    for (int32_t row = 0; row < s->nodes; row++) {
        sum += w->loads[row];
        scaled += s->loads[row];
    }
    if (scaled > 1 << 30) return pen_fail(PEN_ERR_ARGUMENT, "loads add up to %g", scaled);
    for (int32_t row = 0; row < s->nodes; row++) {
        int32_t i = nodes[row], degree = s->rows[row + 1] - s->rows[row];
        double expected = w->loads[i] / sum * (1 << 30);
        if (g->owners[row] != w->owners[i] || g->loads[row] != w->loads[i] || s->loads[row] < 1 ||
            s->loads[row] > expected + 2 || s->loads[row] < expected * (1 - 1e-6) - 2 ||
            degree != (int32_t)(w->rows[i + 1] - w->rows[i]))
            return pen_fail(PEN_ERR_ARGUMENT, "row %d is not node %d", row, i);
        for (uint32_t j = w->rows[i]; j < w->rows[i + 1]; j++) {
            int32_t k = s->rows[row];
            while (k < s->rows[row + 1] && nodes[s->neighbors[k]] != w->columns[j]) k++;
            if (k == s->rows[row + 1] || (s->edge_weights && s->edge_weights[k] != w->edge_weights[j]))
                return pen_fail(PEN_ERR_ARGUMENT, "row %d has not the neighbours of node %d", row, i);
        }
    }
    return PEN_OK;
}

/* A balancer that gathers, compares, and moves each node one rank on. Rows are the world's nodes in rank order, within
 * a rank in the view's, or in the order of gids, neighbours too. */
static pen_status gather_and_rotate(void *state, const pen_load_view *view, pen_peers *peers, pen_plan *plan)
{
    const pen_virtual_world *w = gathered_world;
    pen_gathered g;
    int32_t nodes[40], part[40], n = 0;
    const int32_t *to = NULL;
    double sum = 0;
    pen_status status = pen_gather(view, peers, "a test", sorted_by_gid, &g);
    for (int32_t i = 0; i < w->nodes; i++) sum += w->loads[i];
    if (status == PEN_OK) status = pen_gather_loads(view, peers, "a test", sum, &g);
    if (status == PEN_OK && peers->rank == 0) {
        for (int r = 0; r < w->ranks && !sorted_by_gid; r++)
            for (int32_t i = 0; i < w->nodes; i++)
                if (w->owners[i] == r) nodes[n++] = i;
        for (int32_t i = 0; sorted_by_gid && i < w->nodes; i++) nodes[n++] = i;
        status = compare(w, &g, nodes);
        for (int32_t j = 0; status == PEN_OK && sorted_by_gid && j < g.graph.rows[w->nodes]; j++)
            if (g.graph.neighbors[j] != w->columns[j]) status = pen_fail(PEN_ERR_ARGUMENT, "arc %d out of order", j);
        for (int32_t row = 0; status == PEN_OK && row < w->nodes; row++) part[row] = (g.owners[row] + 1) % w->ranks;
    }
    if (status == PEN_OK) status = pen_gathered_scatter(peers, &g, part, &to);
    for (pen_lid i = 0; status == PEN_OK && i < view->count; i++)
        if (to[i] != peers->rank) plan->moves[plan->count++] = (pen_move){ view->gids[i], to[i] };
    pen_gathered_free(&g);
    return status;
}

static const pen_balancer rotate = { .name = "rotate", .plan = gather_and_rotate };

TEST(the_graph_is_gathered)
{
    uint64_t state = 2;
    for (int k = 0; k < 1000; k++) {
        pen_virtual_world w;
        pen_virtual_outcome outcome;
        int32_t before[40];
        sorted_by_gid = k % 2;
        balance_case(&state, &w);
        w.loads[0] = 1; /* not all 0 */
        gathered_world = &w;
        memcpy(before, w.owners, (size_t)w.nodes * sizeof *before);
        assert_ok(pen_virtual_world_balance(&w, &rotate, "", NULL, false, &outcome));
        for (int32_t i = 0; i < w.nodes; i++) assert_int_equal(w.owners[i], (before[i] + 1) % w.ranks);
        pen_virtual_world_free(&w);
    }
}

/* Rank 0 has node 0, rank 1 has nodes 1 and 2. Only one side knows that 0 and 2 are neighbours: rank *context. */
static pen_status one_sided(void *context, pen_peers *peers)
{
    static const pen_gid gids[2][3] = { { 0, 1, 2 }, { 1, 2, 0 } };
    static const int32_t owners[2][2] = { { 1, 1 }, { 0 } };
    static const double loads[2] = { 1, 1 };
    static const pen_lid columns[2][2] = { { 1, 2 }, { 2, 2 } };
    int r = peers->rank;
    uint32_t known = 1 + (*(int *)context == r), rows[3] = { 0, r ? 1 : known, known };
    const pen_load_view view = { .count = 1 + r,
                                 .shadows = r ? 1 : (pen_lid)known,
                                 .gids = gids[r],
                                 .owners = owners[r],
                                 .loads = loads,
                                 .rows = rows,
                                 .columns = columns[r],
                                 .horizon = 1 };
    pen_gathered g;
    pen_status status = pen_gather(&view, peers, "a test", false, &g);
    pen_gathered_free(&g);
    return status;
}

TEST(one_sided_neighbours_are_refused)
{
    for (int knows = 0; knows < 2; knows++) {
        assert_int_equal(pen_virtual_run(2, 1, one_sided, &knows, NULL, NULL), PEN_ERR_INTERNAL);
        assert_non_null(strstr(pen_error_message(), "neighbours are not mutual"));
    }
}

TEST(what_exceeds_32_bits_is_refused)
{
    pen_virtual_world w;
    pen_virtual_outcome outcome;
    assert_ok(pen_virtual_hex(2, 6, 6, &w));
    w.loads[0] = 5;
    w.edge_weights = malloc(w.rows[w.nodes] * sizeof *w.edge_weights);
    for (uint32_t j = 0; j < w.rows[w.nodes]; j++) w.edge_weights[j] = INT64_C(1) << 40;
    assert_int_equal(pen_virtual_world_balance(&w, metis, "", NULL, false, &outcome), PEN_ERR_UNSUPPORTED);
    assert_non_null(
        strstr(pen_error_message(), "balancer metis counts in 32 bits: the sum of edge weights over all arcs is"));
    pen_virtual_world_free(&w);
}

/* ---- The balancers ---------------------------------------------------------------------------- */

TEST(never_worse)
{
    uint64_t state = 3;
    int64_t better[3] = { 0 }, tried[3] = { 0 };
    for (int k = 0; k < unit_cases; k++) {
        const int kinds[8] = { [0] = 1, [4] = 2 }, which = kinds[k % 8];
        pen_virtual_world w;
        balance_case(&state, &w);
        better[which] += balance_never_worse(&w, which ? scotch : metis, which == 2 ? "remap" : "") > 0;
        tried[which]++;
        pen_virtual_world_free(&w);
    }
    for (int i = 0; i < 3; i++) assert_true(better[i] > tried[i] / 4);
}

TEST(the_same_again)
{
    uint64_t state = 4;
    for (int k = 0; k < 300; k++) {
        pen_virtual_world w;
        balance_case(&state, &w);
        balance_same_again(&w, k % 3 ? scotch : metis, k % 3 == 2 ? "remap" : "", false);
        pen_virtual_world_free(&w);
    }
}

/* A heavy band on 16 ranks: balanced, in connected parts, and most nodes stay if the band stays. */
TEST(a_heavy_band_is_spread)
{
    static const struct {
        const pen_balancer *balancer;
        const char *settings;
    } all[] = { { &pen_balancer_metis, "" },
                { &pen_balancer_metis, "method=recursive,seed=7" },
                { &pen_balancer_metis, "objective=volume" },
                { &pen_balancer_metis, "contiguous=yes" },
                { &pen_balancer_scotch, "" },
                { &pen_balancer_scotch, "seed=3,imbalance=0.005,strategy=quality" },
                { &pen_balancer_scotch, "remap" } };
    for (int k = 0; k < (int)(sizeof all / sizeof all[0]); k++) {
        pen_virtual_world w;
        pen_virtual_outcome outcome;
        pen_quality quality;
        assert_ok(pen_virtual_hex(16, 32, 32, &w));
        for (int32_t i = 256; i < 768; i++) w.loads[i] = 10;
        for (int call = 0; call < 2; call++) {
            for (int32_t i = 0; i < 32 && call == 1; i++) w.loads[256 + i] = 1, w.loads[768 + i] = 10;
            assert_ok(pen_virtual_world_balance(&w, all[k].balancer, all[k].settings, NULL, false, &outcome));
            assert_ok(pen_virtual_world_measure(&w, &quality));
            if (quality.imbalance > 1.05 || quality.cut > 450 || quality.empty > 0 ||
                (call == 1 && outcome.moved > 600))
                fail_msg("%s:%s: imbalance %g, cut %" PRId64 ", %d empty ranks, moved %" PRId64, all[k].balancer->name,
                         all[k].settings, quality.imbalance, quality.cut, quality.empty, outcome.moved);
        }
        pen_virtual_world_free(&w);
    }
}

/* The nodes that move when a disc moves by one column, in ten calls. */
static int64_t moved_by(const char *settings, double horizon)
{
    int64_t moved = 0;
    pen_virtual_world w;
    pen_virtual_outcome outcome;
    assert_ok(pen_virtual_hex(8, 40, 40, &w));
    w.horizon = horizon;
    for (int call = 0; call < 10; call++) {
        for (int32_t i = 0; i < w.nodes; i++) {
            int32_t x = i % 40 - 15 - call, y = i / 40 - 20;
            w.loads[i] = x * x + y * y < 64 ? 10 : 1;
        }
        assert_ok(pen_virtual_world_balance(&w, scotch, settings, NULL, false, &outcome));
        if (call > 0) moved += outcome.moved;
    }
    pen_virtual_world_free(&w);
    return moved;
}

TEST(remapping_moves_less_where_moves_are_dear)
{
    int64_t scratch = moved_by("", 1), dear = moved_by("remap", 1), cheap = moved_by("remap", 1000);
    if (2 * dear > scratch || dear > cheap)
        fail_msg("from scratch %" PRId64 ", remapped %" PRId64 ", for a long time %" PRId64, scratch, dear, cheap);
}

/* Sums of costs and weights, times distances, are within 32 bits, however long plans serve, and plans are good. */
TEST(remapping_counts_within_32_bits)
{
    static const char *const machines[] = { "flat:8", "clusters:2,between=30", "clusters:4,between=3000" };
    for (int m = 0; m < PEN_COUNT_OF(machines); m++) {
        pen_machine *machine;
        pen_virtual_world w;
        pen_quality quality;
        assert_ok(pen_machine_generate(machines[m], 8, &machine));
        assert_ok(pen_virtual_hex(8, 64, 64, &w));
        w.machine = machine;
        w.horizon = 1e6;
        for (int32_t i = 0; i < w.nodes; i++) w.loads[i] = i / 64 < 16 ? 10 : 1;
        assert_ok(pen_virtual_world_balance(&w, scotch, "remap", NULL, false, NULL));
        assert_ok(pen_virtual_world_measure(&w, &quality));
        if (quality.imbalance > 1.1 || quality.empty > 0)
            fail_msg("%s: imbalance %g, %d empty ranks", machines[m], quality.imbalance, quality.empty);
        pen_virtual_world_free(&w);
        pen_machine_destroy(&machine);
    }
}

/* Graphs that are not METIS's: no edges, or no more nodes than ranks. */
TEST(the_best_of_few_nodes_and_no_edges)
{
    static const struct {
        int ranks, width, height;
    } all[] = { { 4, 400, 1 }, { 9, 9, 1 }, { 8, 5, 1 }, { 9, 3, 3 }, { 7, 2, 3 } };
    for (int k = 0; k < 10; k++) {
        const pen_balancer *balancer = k % 2 ? scotch : metis;
        int ranks = all[k / 2].ranks, width = all[k / 2].width, height = all[k / 2].height;
        pen_virtual_world w;
        pen_virtual_outcome outcome;
        pen_quality quality;
        assert_ok(height > 1 ? pen_virtual_hex(ranks, width, height, &w)
                             : pen_virtual_edges(ranks, width, 0, NULL, &w));
        for (int32_t i = 0; i < w.nodes; i++) {
            w.owners[i] = ranks - 1;
            w.loads[i] = w.nodes > ranks || i % 3 == 2 ? 1 : 4;
        }
        assert_ok(pen_virtual_world_balance(&w, balancer, "", NULL, false, &outcome));
        assert_ok(pen_virtual_world_measure(&w, &quality));
        if (quality.imbalance > quality.bound)
            fail_msg("%s, %d nodes on %d ranks: imbalance %g, bound %g", balancer->name, w.nodes, ranks,
                     quality.imbalance, quality.bound);
        pen_virtual_world_free(&w);
    }
}

TEST(loads_of_any_size)
{
    static const double units[] = { 1e-320, 1e-9, 1e300 };
    for (int k = 0; k < 3; k++) {
        pen_virtual_world w;
        pen_virtual_outcome outcome;
        pen_quality quality;
        assert_ok(pen_virtual_hex(4, 12, 12, &w));
        for (int32_t i = 0; i < w.nodes; i++) w.loads[i] = i < 72 ? 3 * units[k] : units[k] * (i >= 100);
        assert_ok(pen_virtual_world_balance(&w, k % 2 ? scotch : metis, "", NULL, false, &outcome));
        assert_ok(pen_virtual_world_measure(&w, &quality));
        if (quality.imbalance > 1.1) fail_msg("unit %g: imbalance %g", units[k], quality.imbalance);
        pen_virtual_world_free(&w);
    }
}

/* As a user reads it. */
static void refuse(const pen_balancer *balancer, const char *settings, const char *sentence)
{
    pen_virtual_world w;
    pen_virtual_outcome outcome;
    assert_ok(pen_virtual_hex(1, 2, 2, &w));
    assert_int_equal(pen_virtual_world_balance(&w, balancer, settings, NULL, false, &outcome), PEN_ERR_INPUT);
    if (strncmp(pen_error_message(), sentence, strlen(sentence)) != 0)
        fail_msg("\"%s\" is not \"%s...\"", pen_error_message(), sentence);
    pen_virtual_world_free(&w);
}

TEST(settings_are_checked)
{
    refuse(metis, "methd=kway", "balancer metis: unknown setting methd=kway: did you mean method?");
    refuse(metis, "method=kwai", "balancer metis: method=kwai: must be kway|recursive");
    refuse(metis, "method=recursive,objective=volume", "balancer metis: objective=volume needs method=kway");
    refuse(metis, "remap", "balancer metis: unknown setting remap");
    refuse(scotch, "arch=hcub 2", "balancer scotch: unknown setting arch=hcub 2");
    refuse(scotch, "strategy=fast",
           "balancer scotch: strategy=fast: must be default|quality|speed|balance|safety|recursive");
    refuse(scotch, "imbalance=2", "balancer scotch: imbalance=2: must be from 0 to 1");
}

static void run_out_of_memory(const pen_balancer *balancer, const char *settings)
{
    pen_virtual_world w;
    pen_virtual_outcome outcome;
    int failures = 0;
    pen_status status = PEN_ERR_MEMORY;
    assert_ok(pen_virtual_hex(3, 6, 6, &w));
    for (int32_t i = 0; i < 12; i++) w.loads[i] = 5;
    gathered_world = &w;
    for (int64_t k = 1; status != PEN_OK; k++) {
        pen_alloc_countdown = k;
        status = pen_virtual_world_balance(&w, balancer, settings, NULL, false, &outcome);
        pen_alloc_countdown = 0;
        failures += status == PEN_ERR_MEMORY;
        if (status != PEN_OK && !strstr(pen_error_message(), "memory")) fail_msg("%s", pen_error_message());
    }
    assert_true(failures > 60);
    assert_true(outcome.moved > 0);
    pen_virtual_world_free(&w);
}

/* Also for a graph gathered by gid: the sanitizer finds memory that a failure leaves. */
TEST(memory_runs_out)
{
    sorted_by_gid = true;
    run_out_of_memory(scotch, "remap");
    run_out_of_memory(&rotate, "");
}
