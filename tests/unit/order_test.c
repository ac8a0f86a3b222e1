/* order_test - orders of nodes: they are permutations, short if possible, and the same each time; and their
 * measurement.
 * pen_test() */

#include "tests/support/unit.h"

#include "base/memory.h"
#include "graph/order.h"
#include "tests/support/world.h"

/* A case as rows; neighbours beyond `count` are kept, and must be skipped. */
typedef struct sample {
    pen_order_graph graph;
    uint32_t *rows;
    pen_lid *columns, *order;
} sample;

static sample take(const graph_case *g, pen_lid count)
{
    uint32_t arcs = 0;
    sample s = { .rows = malloc(((size_t)g->nodes + 1) * sizeof *s.rows),
                 .columns = malloc(((size_t)g->nodes * 64 + 1) * sizeof *s.columns),
                 .order = malloc((size_t)g->nodes * sizeof *s.order) };
    s.rows[0] = 0;
    for (pen_lid i = 0; i < count; i++) {
        for (int j = 0; j < g->degree[i]; j++) s.columns[arcs++] = g->neighbors[i][j];
        s.rows[i + 1] = arcs;
    }
    s.graph = (pen_order_graph){ count, s.rows, s.columns };
    return s;
}

static void drop(sample *s)
{
    free(s->rows);
    free(s->columns);
    free(s->order);
}

static void assert_permutation(const pen_lid *order, pen_lid count)
{
    bool *seen = calloc((size_t)count + 1, sizeof *seen);
    for (pen_lid k = 0; k < count; k++) {
        assert_in_range(order[k], 0, count - 1);
        assert_false(seen[order[k]]);
        seen[order[k]] = true;
    }
    free(seen);
}

/* Rows and columns of a hexagonal grid whose nodes are numbered anyhow. */
static graph_case shuffled_grid(int width, int height, uint64_t state)
{
    graph_case g = case_new("shuffled", width * height);
    int *number = malloc((size_t)g.nodes * sizeof *number);
    for (int i = 0; i < g.nodes; i++) {
        int j = (int)(case_random(&state) % (uint64_t)(i + 1));
        number[i] = number[j];
        number[j] = i;
    }
    for (int r = 0; r < height; r++)
        for (int c = 0; c < width; c++) {
            int slanted = r % 2 ? c + 1 : c - 1;
            if (c + 1 < width) case_edge(&g, number[r * width + c], number[r * width + c + 1]);
            if (r + 1 == height) continue;
            case_edge(&g, number[r * width + c], number[(r + 1) * width + c]);
            if (slanted >= 0 && slanted < width)
                case_edge(&g, number[r * width + c], number[(r + 1) * width + slanted]);
        }
    free(number);
    return g;
}

static int bandwidth(const sample *s)
{
    int most = 0;
    pen_lid *place = malloc((size_t)s->graph.count * sizeof *place);
    for (pen_lid k = 0; k < s->graph.count; k++) place[s->order[k]] = k;
    for (pen_lid i = 0; i < s->graph.count; i++)
        for (uint32_t a = s->rows[i]; a < s->rows[i + 1]; a++)
            if (abs(place[i] - place[s->columns[a]]) > most) most = abs(place[i] - place[s->columns[a]]);
    free(place);
    return most;
}

TEST(all_cases_become_permutations)
{
    for (int number = 0; number < CASES; number++)
        for (int missing = 0; missing < 2; missing++) {
            graph_case g = case_make(number);
            sample s = take(&g, missing ? g.nodes / 2 : g.nodes);
            assert_int_equal(pen_order_rcm(&s.graph, s.order), PEN_OK);
            assert_permutation(s.order, s.graph.count);
            drop(&s);
            case_free(&g);
        }
}

TEST(a_path_is_found)
{
    enum { LONG = 61 };
    graph_case g = case_new("path", LONG);
    for (int i = 0; i + 1 < LONG; i++) case_edge(&g, i * 7 % LONG, (i + 1) * 7 % LONG);
    sample s = take(&g, LONG);
    assert_int_equal(pen_order_rcm(&s.graph, s.order), PEN_OK);
    assert_int_equal(bandwidth(&s), 1);
    drop(&s);
    case_free(&g);
}

/* Breadth first from a corner no level is wider than the grid, or little. */
TEST(a_shuffled_grid_gets_a_narrow_band)
{
    graph_case g = shuffled_grid(12, 40, 3);
    sample s = take(&g, g.nodes);
    assert_int_equal(pen_order_rcm(&s.graph, s.order), PEN_OK);
    assert_permutation(s.order, g.nodes);
    assert_in_range(bandwidth(&s), 1, 30);
    pen_locality before, after;
    pen_order_cache = 512;
    assert_int_equal(pen_order_measure(&s.graph, NULL, 8, &before), PEN_OK);
    assert_int_equal(pen_order_measure(&s.graph, s.order, 8, &after), PEN_OK);
    pen_order_cache = 256 << 10;
    assert_true(after.span < 15 && before.span > 100);
    assert_true(after.misses < 0.05 && before.misses > 0.5);
    drop(&s);
    case_free(&g);
}

/* Components are contiguous, whatever they are. */
TEST(components_stay_together)
{
    graph_case g = case_new("components", 60);
    for (int i = 0; i + 6 < 60; i++)
        if (i % 6 != 5) case_edge(&g, i, i + 6);
    sample s = take(&g, 60);
    assert_int_equal(pen_order_rcm(&s.graph, s.order), PEN_OK);
    assert_permutation(s.order, 60);
    assert_int_equal(bandwidth(&s), 1);
    drop(&s);
    case_free(&g);
}

/* Row by row is read in streams, which are prefetched even if no row fits the cache. Tile by tile is read again less
 * often, and waited for more. */
TEST(streams_beat_tiles)
{
    enum { WIDTH = 128, HEIGHT = 64, TILE = 8 };
    graph_case g = case_new("grid", WIDTH * HEIGHT);
    for (int i = 0; i < g.nodes; i++) {
        if (i % WIDTH < WIDTH - 1) case_edge(&g, i, i + 1);
        if (i + WIDTH < g.nodes) case_edge(&g, i, i + WIDTH);
    }
    sample s = take(&g, g.nodes);
    for (int y = 0, k = 0; y < HEIGHT; y += TILE)
        for (int x = 0; x < WIDTH; x += TILE)
            for (int i = 0; i < TILE * TILE; i++) s.order[k++] = (y + i / TILE) * WIDTH + x + i % TILE;
    pen_locality rows, tiles;
    pen_order_cache = 4 << 10;
    assert_int_equal(pen_order_measure(&s.graph, NULL, 64, &rows), PEN_OK);
    assert_int_equal(pen_order_measure(&s.graph, s.order, 64, &tiles), PEN_OK);
    pen_order_cache = 256 << 10;
    assert_true(rows.misses < PEN_ORDER_GOOD && tiles.misses > PEN_ORDER_GOOD);
    drop(&s);
    case_free(&g);
}

TEST(measuring_knows_good_from_bad)
{
    pen_locality l;
    graph_case g = case_new("ring", 4000);
    for (int i = 0; i < g.nodes; i++) case_edge(&g, i, (i + 1) % g.nodes);
    sample s = take(&g, g.nodes);
    pen_order_cache = 4 << 10;
    /* One arc leads all the way back, which costs nothing: places are consecutive at both of its ends. */
    assert_int_equal(pen_order_measure(&s.graph, NULL, 8, &l), PEN_OK);
    assert_true(l.misses < 0.002 && l.span > 1.9 && l.span < 2.1);
    /* All places are different. */
    uint64_t state = 1;
    for (int k = 0; k < g.nodes; k++) {
        int j = (int)(case_random(&state) % (uint64_t)(k + 1));
        s.order[k] = s.order[j];
        s.order[j] = k;
    }
    assert_permutation(s.order, g.nodes);
    assert_int_equal(pen_order_measure(&s.graph, s.order, 8, &l), PEN_OK);
    assert_true(l.misses > 0.7);
    /* All is in a cache that is large enough. */
    pen_order_cache = 256 << 10;
    assert_int_equal(pen_order_measure(&s.graph, s.order, 8, &l), PEN_OK);
    assert_true(l.misses < 0.01);
    drop(&s);
    case_free(&g);
    g = case_new("no arcs", 5);
    s = take(&g, 5);
    assert_int_equal(pen_order_measure(&s.graph, NULL, 100, &l), PEN_OK);
    assert_true(l.misses == 0.0 && l.span == 0.0);
    s.graph.count = 0;
    assert_int_equal(pen_order_measure(&s.graph, NULL, 100, &l), PEN_OK);
    assert_int_equal(pen_order_rcm(&s.graph, s.order), PEN_OK);
    drop(&s);
    case_free(&g);
}

TEST(keys_are_sorted_and_ties_stay)
{
    static const uint64_t keys[] = { 5, 1, UINT64_MAX, 1, 0, 5 };
    static const pen_lid expected[] = { 4, 1, 3, 0, 5, 2 };
    pen_lid order[6];
    assert_int_equal(pen_order_by_key(6, keys, order), PEN_OK);
    assert_memory_equal(order, expected, sizeof order);
    assert_int_equal(pen_order_by_key(0, keys, order), PEN_OK);
}

TEST(memory_runs_out)
{
    graph_case g = case_make(6);
    sample s = take(&g, g.nodes);
    pen_locality l;
    int failures = 0;
    pen_status status = PEN_ERR_MEMORY;
    for (int64_t n = 1; status == PEN_ERR_MEMORY; n++) {
        pen_alloc_countdown = n;
        status = pen_order_rcm(&s.graph, s.order);
        if (status == PEN_OK) status = pen_order_measure(&s.graph, s.order, 8, &l);
        pen_alloc_countdown = 0;
        failures += status == PEN_ERR_MEMORY;
    }
    assert_int_equal(status, PEN_OK);
    assert_int_equal(failures, 4);
    drop(&s);
    case_free(&g);
}
