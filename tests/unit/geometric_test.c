/* geometric_test - rcb and sfc on virtual ranks: parts of equal load for any positions, the same wherever nodes are,
 * good ones if positions mean something, and on the ranks that have most of them; Hilbert's curve takes single
 * steps.
 * pen_test() */

#include "tests/support/unit.h"

#include "partition/bisect.h"
#include "partition/places.h"
#include "rebalance/balancers.h"
#include "rebalance/remap.h"
#include "rebalance/rename.h"
#include "tests/support/balance_cases.h"

#include <math.h>

static const struct {
    const pen_balancer *balancer;
    const pen_partitioner *partitioner;
} both[] = { { &pen_balancer_rcb, &pen_partitioner_rcb }, { &pen_balancer_sfc, &pen_partitioner_sfc } };

/* ---- Places --------------------------------------------------------------------------------- */

enum { ONE_PLACE, FEW, ANYWHERE, UNEVEN, HUGE_PLACES, KINDS };

static double draw_place(uint64_t *state, int kind)
{
    uint64_t word = case_random(state);
    switch (kind) {
    case ONE_PLACE: return -3.5;
    case FEW: return (double)(word % 4) - 1.0;
    case UNEVEN: return ldexp(word % 2 ? 1.0 : -1.0, -(int)(word / 2 % 1000));
    case HUGE_PLACES: return (word % 2 ? 1e308 : -1e308) * (double)(word / 2 % 17) / 10.0;
    default: return (double)word * 0x1p-31;
    }
}

static void place_nodes(pen_virtual_world *w, uint64_t *state, int dimensions, int kind)
{
    free(w->coordinates);
    w->dimensions = dimensions;
    w->coordinates = malloc((size_t)w->nodes * (size_t)dimensions * sizeof *w->coordinates);
    for (int64_t i = 0; i < (int64_t)w->nodes * dimensions; i++) w->coordinates[i] = draw_place(state, kind);
}

static void check_loads(const pen_virtual_world *w, double tolerance, const char *what)
{
    pen_quality q;
    assert_ok(pen_virtual_world_measure(w, &q));
    for (int r = 0; r < w->ranks; r++) {
        double load = 0.0, share = w->machine ? w->machine->speeds[r] / w->machine->total_speed : 1.0 / w->ranks;
        for (int32_t i = 0; i < w->nodes; i++) load += w->owners[i] == r ? w->loads[i] : 0.0;
        if (load > (1.0 + 1e-9 + tolerance) * share * q.total + 1.2 * q.heaviest)
            fail_msg("%s: rank %d of %d, %d nodes: load %g, share %g, heaviest %g", what, r, w->ranks, w->nodes, load,
                     share * q.total, q.heaviest);
    }
}

TEST(loads_are_balanced_whatever_the_places)
{
    uint64_t state = 5;
    for (int number = 0; number < 600; number++) {
        pen_virtual_world w;
        int k = number % 2, kind = number / 2 % KINDS;
        balance_case(&state, &w);
        place_nodes(&w, &state, 1 + (int)(case_random(&state) % 3), kind);
        if (number % 3 == 0) {
            assert_ok(pen_virtual_world_partition(&w, both[k].partitioner, "tolerance=0", NULL));
            check_loads(&w, 0.0, both[k].partitioner->name);
        } else {
            if (number % 3 == 1) balance_same_again(&w, both[k].balancer, "tolerance=0.1", true);
            else assert_ok(pen_virtual_world_balance(&w, both[k].balancer, "tolerance=0.1", NULL, false, NULL));
            check_loads(&w, 0.1, both[k].balancer->name);
        }
        pen_virtual_world_free(&w);
    }
}

/* Nodes at one place are divided by their gids. */
TEST(one_place_is_divided_by_gid)
{
    for (int k = 0; k < 2; k++) {
        pen_virtual_world w;
        uint64_t state = 9;
        assert_ok(pen_virtual_random(7, 100, 0, 1, &w));
        place_nodes(&w, &state, 2, ONE_PLACE);
        for (int32_t i = 0; i < 100; i++) w.owners[i] = (int32_t)(case_random(&state) % 7);
        assert_ok(pen_virtual_world_partition(&w, both[k].partitioner, "tolerance=0", NULL));
        int sizes[7] = { 0 };
        for (int32_t i = 0; i < 100; i++) {
            sizes[w.owners[i]]++;
            if (i > 0) assert_true(w.owners[i] >= w.owners[i - 1]);
        }
        for (int p = 0; p < 7; p++) assert_in_range(sizes[p], 14, 15);
        pen_virtual_world_free(&w);
    }
}

/* ---- Ranks do not matter --------------------------------------------------------------------- */

enum { NODES = 200 };

typedef struct sample {
    bool curve;
    int parts;
    double at[NODES * 3], loads[NODES];
    int32_t part[NODES];
} sample;

/* Node i, of gid 2^40 i, is with rank i * 7 % ranks. */
static pen_status bisect_sample(void *context, pen_peers *peers)
{
    sample *s = context;
    const pen_bisection how = { .curve = s->curve, .tolerance = 0.02 };
    pen_gid gids[NODES];
    double at[NODES * 3], loads[NODES];
    int32_t part[NODES];
    static const uint32_t rows[NODES + 1];
    pen_load_view view = { .gids = gids, .loads = loads, .rows = rows, .dimensions = 3, .coordinates = at };
    for (int i = NODES - 1; i >= 0; i--) {
        if (i * 7 % peers->size != peers->rank) continue;
        memcpy(&at[3 * view.count], &s->at[3 * i], 3 * sizeof *at);
        loads[view.count] = s->loads[i];
        gids[view.count++] = (pen_gid)i << 40;
    }
    PEN_TRY(pen_bisect(&how, &view, peers, s->parts, part));
    for (pen_lid i = 0; i < view.count; i++) s->part[gids[i] >> 40] = part[i];
    return PEN_OK;
}

TEST(parts_do_not_depend_on_ranks)
{
    static const double small[] = { 0.0, 30.0, 16384.0 };
    static const int ranks[] = { 1, 2, 3, 16 }, parts[] = { 1, 2, 5, 13, 300, 1 << 30 };
    uint64_t state = 3;
    for (int number = 0; number < 2 * PEN_COUNT_OF(parts); number++) {
        static sample s;
        int32_t first[NODES];
        s.curve = number % 2;
        s.parts = parts[number / 2];
        for (int i = 0; i < 3 * NODES; i++) s.at[i] = draw_place(&state, number % 3 ? ANYWHERE : FEW);
        for (int i = 0; i < NODES; i++) s.loads[i] = (double)(case_random(&state) % 9);
        for (int r = 0; r < 3 * PEN_COUNT_OF(ranks); r++) {
            pen_bisect_small = small[r % 3];
            assert_ok(pen_virtual_run(ranks[r / 3], 1, bisect_sample, &s, NULL, NULL));
            if (r == 0) memcpy(first, s.part, sizeof first);
            assert_memory_equal(first, s.part, sizeof first);
        }
        for (int i = 0; i < NODES; i++) assert_in_range(first[i], 0, s.parts - 1);
    }
}

/* ---- Quality --------------------------------------------------------------------------------- */

/* The cut in parts of its contiguous order, and by partitioner k. */
static void cuts_of(pen_virtual_world *w, int k, double *block, double *cut)
{
    pen_quality q;
    assert_ok(pen_virtual_world_measure(w, &q));
    *block = (double)q.cut;
    assert_ok(pen_virtual_world_partition(w, both[k].partitioner, "", NULL));
    assert_ok(pen_virtual_world_measure(w, &q));
    *cut = (double)q.cut;
    assert_true(q.imbalance <= 1.03);
}

static void mesh(int ranks, int side, pen_virtual_world *w)
{
    int32_t(*edges)[2] = malloc((size_t)(3 * side * side * side) * sizeof *edges), nodes = side * side * side;
    int64_t count = 0;
    for (int32_t i = 0; i < nodes; i++)
        for (int d = 0, stride = 1; d < 3; d++, stride *= side)
            if (i / stride % side + 1 < side) {
                edges[count][0] = i;
                edges[count++][1] = i + stride;
            }
    assert_ok(pen_virtual_edges(ranks, nodes, count, (const int32_t(*)[2])edges, w));
    free(edges);
    w->dimensions = 3;
    w->coordinates = malloc((size_t)nodes * 3 * sizeof *w->coordinates);
    for (int32_t i = 0; i < nodes; i++)
        for (int d = 0, stride = 1; d < 3; d++, stride *= side) w->coordinates[3 * i + d] = i / stride % side;
}

static void geometric(int ranks, int32_t nodes, pen_virtual_world *w)
{
    double *at = malloc((size_t)nodes * 2 * sizeof *at);
    int32_t(*edges)[2] = malloc((size_t)nodes * 20 * sizeof *edges);
    int64_t count = 0;
    uint64_t state = 77;
    for (int32_t i = 0; i < 2 * nodes; i++) at[i] = draw_place(&state, ANYWHERE);
    for (int32_t i = 0; i < nodes; i++)
        for (int32_t j = 0; j < i; j++)
            if (hypot(at[2 * i] - at[2 * j], at[2 * i + 1] - at[2 * j + 1]) < 1.5 / sqrt(nodes)) {
                edges[count][0] = i;
                edges[count++][1] = j;
            }
    assert_true(count > 2 * nodes && count < 20 * (int64_t)nodes);
    assert_ok(pen_virtual_edges(ranks, nodes, count, (const int32_t(*)[2])edges, w));
    free(edges);
    w->dimensions = 2;
    w->coordinates = at;
}

TEST(cuts_are_short)
{
    for (int k = 0; k < 2; k++) {
        static const double enough[] = { 0.41, 0.7, 0.3 }; /* of the order's cut: squares, cubes, none */
        for (int graph = 0; graph < 3; graph++) {
            pen_virtual_world w;
            double block, cut;
            if (graph == 0) assert_ok(pen_virtual_hex(16, 64, 64, &w));
            if (graph == 1) mesh(27, 12, &w);
            if (graph == 2) geometric(12, 1500, &w);
            cuts_of(&w, k, &block, &cut);
            if (cut > enough[graph] * block)
                fail_msg("%s, graph %d: cut %g of %g", both[k].partitioner->name, graph, cut, block);
            pen_virtual_world_free(&w);
        }
    }
}

static pen_status bisect_on_many(void *context, pen_peers *peers)
{
    const pen_bisection how = { .curve = *(bool *)context, .tolerance = 0.01 };
    static const uint32_t rows[4];
    const pen_gid gids[] = { peers->rank, peers->rank + 4096, peers->rank + 8192 };
    const double loads[] = { 1.0, 2.0, 3.0 };
    const pen_load_view view = { .count = peers->rank % 4,
                                 .gids = gids,
                                 .loads = loads,
                                 .rows = rows,
                                 .grid = PEN_GRID_HEX,
                                 .width = 128,
                                 .height = 96,
                                 .depth = 1 };
    int32_t part[3];
    double sums[9] = { 0.0 };
    PEN_TRY(pen_bisect(&how, &view, peers, 9, part));
    for (pen_lid i = 0; i < view.count; i++) sums[part[i]] += loads[i];
    PEN_TRY(peers->reduce(peers, 9, sums, 0, NULL));
    for (int p = 0; p < 9; p++)
        if (sums[p] > 1.01 * 10240.0 / 9 + 1.2 * 3.0) return pen_fail(PEN_ERR_CHECK, "part %d: %g", p, sums[p]);
    return PEN_OK;
}

TEST(thousands_of_ranks)
{
    for (int k = 0; k < 2; k++) {
        bool curve = k;
        pen_virtual_world w;
        pen_virtual_outcome outcome;
        assert_ok(pen_virtual_run(4096, 1, bisect_on_many, &curve, NULL, NULL));
        assert_ok(pen_virtual_hex(100, 128, 96, &w));
        for (int32_t i = 0; i < w.nodes; i++) w.loads[i] = i % 128 < 40 ? 5.0 : 1.0;
        assert_ok(pen_virtual_world_balance(&w, both[k].balancer, "", NULL, false, &outcome));
        check_loads(&w, 0.01, both[k].balancer->name);
        assert_true(outcome.reductions < 400);
        pen_virtual_world_free(&w);
    }
}

/* ---- Hilbert's curve ------------------------------------------------------------------------- */

typedef struct visited {
    uint64_t key;
    int cell;
} visited;

static int by_key(const void *a, const void *b)
{
    const visited *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

TEST(the_curve_takes_single_steps)
{
    static const double low[3] = { 0.0, 0.0, 0.0 }, high[3] = { 1.0, 1.0, 1.0 };
    for (int dimensions = 1; dimensions <= 3; dimensions++) {
        int side = dimensions == 3 ? 8 : 32, cells = (int)lround(pow(side, dimensions));
        double *at = malloc((size_t)(cells * dimensions) * sizeof *at);
        visited *order = malloc((size_t)cells * sizeof *order);
        const pen_places places = { dimensions, at, NULL };
        for (int i = 0; i < cells; i++)
            for (int d = 0, stride = 1; d < dimensions; d++, stride *= side)
                at[i * dimensions + d] = (i / stride % side + 0.5) / side;
        for (int i = 0; i < cells; i++) order[i] = (visited){ pen_places_hilbert(&places, i, low, high), i };
        qsort(order, (size_t)cells, sizeof *order, by_key);
        for (int i = 1; i < cells; i++) {
            int steps = 0;
            for (int d = 0, stride = 1; d < dimensions; d++, stride *= side)
                steps += abs(order[i].cell / stride % side - order[i - 1].cell / stride % side);
            if (steps != 1) fail_msg("%d dimensions: from cell %d to %d", dimensions, order[i - 1].cell, order[i].cell);
        }
        free(at);
        free(order);
    }
}

/* The box is stretched, but not to a cube: a flat box stays flat. */
TEST(a_grid_has_places)
{
    static const pen_gid gids[] = { 0, 1, 5, 9 };
    pen_load_view view = { .count = 4, .gids = gids, .grid = PEN_GRID_HEX, .width = 4, .height = 3, .depth = 1 };
    pen_places p;
    assert_ok(pen_places_find(&view, &p));
    assert_int_equal(p.dimensions, 2);
    static const double expected[] = { 0, 0, 1, 0, 1.5, 0.8660254037844386, 1, 1.7320508075688772 };
    for (int i = 0; i < 8; i++) assert_true(fabs(p.at[i] - expected[i]) < 1e-15);
    pen_places_free(&p);
    view.grid = PEN_GRID_TORUS;
    view.depth = 2;
    view.height = 2;
    assert_ok(pen_places_find(&view, &p));
    static const double cube[] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1 };
    assert_memory_equal(p.at, cube, sizeof cube);
    pen_places_free(&p);
    view.width = view.height = view.depth = 0;
    assert_int_equal(pen_places_find(&view, &p), PEN_ERR_UNSUPPORTED);
    assert_non_null(strstr(pen_error_message(), "setting coordinates"));
}

/* ---- Ranks of parts -------------------------------------------------------------------------- */

TEST(parts_stay_where_they_are)
{
    static const int32_t other[] = { 5, 0, 7, 2, 1, 3, 4, 6 };
    for (int k = 0; k < 2; k++) {
        pen_virtual_world w;
        pen_virtual_outcome outcome;
        assert_ok(pen_virtual_hex(8, 24, 20, &w));
        assert_ok(pen_virtual_world_partition(&w, both[k].partitioner, "", NULL));
        for (int32_t i = 0; i < w.nodes; i++) w.owners[i] = other[w.owners[i]];
        assert_ok(pen_virtual_world_balance(&w, both[k].balancer, "", NULL, false, &outcome));
        assert_int_equal(outcome.moved, 0);
        for (int32_t i = 0; i < w.nodes; i++)
            if (w.coordinates[2 * i] < 12.0) w.loads[i] = 1.2; /* cuts move a little */
        assert_ok(pen_virtual_world_balance(&w, both[k].balancer, "", NULL, false, &outcome));
        assert_in_range(outcome.moved, 1, w.nodes / 4);
        pen_virtual_world_free(&w);
    }
}

enum { MOST_RANKS = 30, MOST_NODES = 120 };

typedef struct naming {
    int32_t owners[MOST_NODES], part[MOST_NODES], remapped[MOST_NODES];
    int nodes;
} naming;

static pen_status remap(void *context, pen_peers *peers)
{
    naming *n = context;
    uint32_t rows[MOST_NODES + 1] = { 0 };
    int32_t part[MOST_NODES];
    pen_load_view view = { .rows = rows, .node_bytes = 24 };
    for (int i = 0; i < n->nodes; i++)
        if (n->owners[i] == peers->rank) part[view.count++] = n->part[i];
    PEN_TRY(pen_remap_parts(&view, peers, part));
    view.count = 0;
    for (int i = 0; i < n->nodes; i++)
        if (n->owners[i] == peers->rank) n->remapped[i] = part[view.count++];
    return PEN_OK;
}

static int stay(const naming *n, const int32_t *to)
{
    int count = 0;
    for (int i = 0; i < n->nodes; i++) count += to[i] == n->owners[i];
    return count;
}

/* Labels are permuted, and at least half of the data stays that stays with the exact assignment. */
TEST(renaming_is_as_good_as_promised)
{
    uint64_t state = 8;
    int64_t kept = 0, most = 0;
    for (int number = 0; number < 300; number++) {
        naming n = { .nodes = 1 + (int)(case_random(&state) % MOST_NODES) };
        int ranks = 1 + (int)(case_random(&state) % MOST_RANKS), width = 1 + (int)(case_random(&state) % 9);
        int32_t exact[MOST_NODES], name[MOST_RANKS];
        int64_t sizes[MOST_NODES];
        bool taken[MOST_RANKS] = { false };
        for (int i = 0; i < n.nodes; i++) { /* ascending owners, for the exact one */
            n.owners[i] = (int32_t)((int64_t)i * ranks / n.nodes);
            n.part[i] = (n.owners[i] * 7 + (int32_t)(case_random(&state) % (uint64_t)width)) % ranks;
            exact[i] = n.part[i];
            sizes[i] = 24;
        }
        assert_ok(pen_virtual_run(ranks, 1, remap, &n, NULL, NULL));
        assert_ok(pen_rename_parts(NULL, ranks, n.nodes, n.owners, sizes, exact));
        for (int r = 0; r < ranks; r++) name[r] = -1;
        for (int i = 0; i < n.nodes; i++) {
            assert_in_range(n.remapped[i], 0, ranks - 1);
            if (name[n.part[i]] >= 0) assert_int_equal(name[n.part[i]], n.remapped[i]);
            else assert_false(taken[n.remapped[i]]);
            name[n.part[i]] = n.remapped[i];
            taken[n.remapped[i]] = true;
        }
        assert_true(2 * stay(&n, n.remapped) >= stay(&n, exact));
        kept += stay(&n, n.remapped);
        most += stay(&n, exact);
    }
    assert_true((double)kept > 0.9 * (double)most);
}

/* ---- Failures -------------------------------------------------------------------------------- */

TEST(settings_are_checked)
{
    pen_virtual_world w;
    assert_ok(pen_virtual_hex(3, 6, 6, &w));
    for (int k = 0; k < 2; k++) {
        static const char *const wrong[] = { "tolerance=-1", "tolerance=1", "tolerance=much", "speed=2" };
        for (int i = 0; i < PEN_COUNT_OF(wrong); i++) {
            assert_int_equal(pen_virtual_world_balance(&w, both[k].balancer, wrong[i], NULL, false, NULL),
                             PEN_ERR_INPUT);
            assert_int_equal(pen_virtual_world_partition(&w, both[k].partitioner, wrong[i], NULL), PEN_ERR_INPUT);
        }
        w.dimensions = 0;
        w.loads[0] = 10.0;
        assert_int_equal(pen_virtual_world_balance(&w, both[k].balancer, "", NULL, false, NULL), PEN_ERR_UNSUPPORTED);
        w.dimensions = 2;
    }
    pen_virtual_world_free(&w);
}

TEST(memory_runs_out)
{
    for (int k = 0; k < 2; k++) {
        pen_virtual_world w;
        pen_virtual_outcome outcome;
        int failures = 0;
        pen_status status = PEN_ERR_MEMORY;
        assert_ok(pen_virtual_hex(4, 6, 6, &w));
        for (int32_t i = 0; i < w.nodes; i++) w.owners[i] = i < 30 ? 1 : 2;
        for (int64_t n = 1; status == PEN_ERR_MEMORY; n++) {
            pen_alloc_countdown = n;
            status = pen_virtual_world_balance(&w, both[k].balancer, "", NULL, false, &outcome);
            pen_alloc_countdown = 0;
            failures += status == PEN_ERR_MEMORY;
            if (status == PEN_ERR_MEMORY) assert_int_equal(w.owners[29], 1);
        }
        assert_ok(status);
        assert_true(failures > 60);
        assert_true(outcome.moved > 0);
        pen_virtual_world_free(&w);
    }
}
