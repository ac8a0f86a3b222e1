/* shock_mesh_test - the mesh of the shock wave: numbers of cells and edges, of new and removed ones, gids and
 * neighbours.
 * pen_test(LINK pen_shock) */
#include "tests/support/unit.h"

#include "apps/shock/mesh.h"

#include <stdlib.h>

static mesh prepared(int64_t width, int64_t height, int32_t depth, wave_shape wave)
{
    mesh m = { width, height, depth, wave, width * 3 / 4, 0.0, 0.0, 0.0 };
    assert_true(pen_mesh_prepare(&m));
    return m;
}

typedef struct cells {
    cell *all;
    int64_t count, room;
} cells;

static void collect(const mesh *m, int64_t k, cell c, cells *into)
{
    if (pen_mesh_split(m, k, c)) {
        for (int j = 0; j < 4; j++) collect(m, k, pen_mesh_child(c, j), into);
        return;
    }
    if (into->count == into->room) {
        into->room = 2 * into->room + 1000;
        into->all = (cell *)realloc(into->all, (size_t)into->room * sizeof *into->all);
        assert_non_null(into->all);
    }
    into->all[into->count++] = c;
}

static cells all_cells(const mesh *m, int64_t k)
{
    cells found = { NULL, 0, 0 };
    for (int32_t y = 0; y < m->height; y++)
        for (int32_t x = 0; x < m->width; x++) collect(m, k, (cell){ 0, x, y }, &found);
    return found;
}

static bool same(cell a, cell b) { return a.level == b.level && a.x == b.x && a.y == b.y; }

/* Along each axis: the length that two squares have in common, in finest squares, < 0 where there is a gap. */
static int64_t common(const mesh *m, int64_t a, int32_t level_a, int64_t b, int32_t level_b)
{
    int64_t size_a = INT64_C(1) << (m->depth - level_a), size_b = INT64_C(1) << (m->depth - level_b);
    int64_t low = a * size_a > b * size_b ? a * size_a : b * size_b;
    int64_t high = (a + 1) * size_a < (b + 1) * size_b ? (a + 1) * size_a : (b + 1) * size_b;
    return high - low;
}

static bool share_a_side(const mesh *m, cell a, cell b)
{
    int64_t x = common(m, a.x, a.level, b.x, b.level), y = common(m, a.y, a.level, b.y, b.level);
    return (x == 0 && y > 0) || (x > 0 && y == 0);
}

/* Each neighbour is a different cell of the mesh, is mutual, and its level differs by at most one; in large meshes some
 * thousand cells are tried. Returns the sum of all degrees. */
static int64_t check_neighbors(const mesh *m, int64_t k, const cells *of)
{
    int64_t arcs = 0, every = 1 + of->count / 4000;
    for (int64_t i = 0; i < of->count; i++) {
        cell around[MESH_NEIGHBORS], back[MESH_NEIGHBORS];
        int degree = pen_mesh_neighbors(m, k, of->all[i], around);
        int64_t sides = 0;
        assert_in_range(degree, 0, MESH_NEIGHBORS);
        arcs += degree;
        if (i % every != 0) continue;
        for (int j = 0; j < degree; j++) {
            int returns = 0;
            assert_int_equal(pen_mesh_level(m, k, around[j]), around[j].level);
            assert_true(share_a_side(m, of->all[i], around[j]));
            assert_true(abs(of->all[i].level - around[j].level) <= 1);
            for (int b = pen_mesh_neighbors(m, k, around[j], back) - 1; b >= 0; b--)
                returns += same(back[b], of->all[i]);
            assert_int_equal(returns, 1);
            sides += around[j].level > of->all[i].level ? 1 : 2; /* halves of sides that have a neighbour */
        }
        cell c = of->all[i];
        int borders = (c.x == 0) + (c.y == 0) + (c.x + 1 == m->width << c.level) + (c.y + 1 == m->height << c.level);
        assert_int_equal(sides, 2 * (4 - borders));
    }
    return arcs;
}

static int compare(const void *a, const void *b)
{
    pen_gid x = *(const pen_gid *)a, y = *(const pen_gid *)b;
    return (x > y) - (x < y);
}

static void check_gids(const mesh *m, const cells *of)
{
    pen_gid *gids = (pen_gid *)malloc((size_t)of->count * sizeof *gids);
    int64_t area = 0;
    assert_non_null(gids);
    for (int64_t i = 0; i < of->count; i++) {
        gids[i] = pen_mesh_gid(m, of->all[i]);
        assert_true(same(pen_mesh_cell(m, gids[i]), of->all[i]));
        area += INT64_C(1) << 2 * (m->depth - of->all[i].level);
    }
    qsort(gids, (size_t)of->count, sizeof *gids, compare);
    for (int64_t i = 1; i < of->count; i++) assert_true(gids[i - 1] < gids[i]);
    assert_int_equal(area, m->width * m->height << 2 * m->depth);
    free(gids);
}

/* Cells of one mesh that the other one lacks. */
static int64_t missing(const mesh *m, int64_t k, const cells *of)
{
    int64_t count = 0;
    for (int64_t i = 0; i < of->count; i++) count += pen_mesh_level(m, k, of->all[i]) != of->all[i].level;
    return count;
}

static void expect(const mesh *m, int64_t k, int64_t count, int64_t edges, int64_t born, int64_t died)
{
    cells before = all_cells(m, k - 1), now = all_cells(m, k);
    check_gids(m, &now);
    int64_t arcs = check_neighbors(m, k, &now);
    assert_int_equal(now.count, count);
    if (edges > 0) assert_int_equal(arcs, 2 * edges);
    if (born >= 0) assert_int_equal(missing(m, k - 1, &now), born);
    if (died >= 0) assert_int_equal(missing(m, k, &before), died);
    free(before.all);
    free(now.all);
}

/* The counts were found by two programs that share nothing with this one. */
TEST(test_counts)
{
    static const struct {
        int32_t depth;
        int64_t cells, changes;
    } deep[] = { { 0, 1600, 0 },    { 1, 1720, 200 },  { 2, 2086, 524 },
                 { 3, 2884, 1390 }, { 4, 4492, 2894 }, { 8, 54022, 52460 } };
    mesh m = prepared(40, 40, 2, WAVE_CUBIC), line = prepared(40, 40, 2, WAVE_LINE);
    expect(&m, -1, 1600, 3120, 0, 0);
    expect(&m, 0, 2086, 4231, 568, 82);
    expect(&m, 1, 2086, 0, 524, 524);
    expect(&m, 5, 2086, 4232, 524, 524);
    expect(&m, 15, 2086, 4232, 524, 524);
    expect(&m, 30, 2086, 4231, 524, 524);
    expect(&m, 31, 2086, 4231, 0, 0); /* the wave has stopped */
    expect(&line, 3, 2320, 4676, -1, -1);
    for (size_t i = 0; i < sizeof deep / sizeof deep[0]; i++) {
        mesh d = prepared(40, 40, deep[i].depth, WAVE_CUBIC);
        expect(&d, 7, deep[i].cells, 0, deep[i].changes, deep[i].changes);
    }
}

/* Of other shapes, and where the wave is so steep that a cell far from it along x has it near along y. */
TEST(test_neighbors)
{
    static const struct {
        int64_t width, height;
        int32_t depth;
        wave_shape wave;
    } cases[] = { { 40, 40, 2, WAVE_CIRCLE }, { 23, 17, 4, WAVE_CIRCLE }, { 90, 4, 3, WAVE_CUBIC },
                  { 60, 1, 3, WAVE_CUBIC },   { 1, 1, 8, WAVE_LINE },     { 5, 60, 3, WAVE_LINE },
                  { 3, 50, 5, WAVE_CUBIC },   { 64, 2, 5, WAVE_CIRCLE } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        mesh m = prepared(cases[i].width, cases[i].height, cases[i].depth, cases[i].wave);
        for (int64_t k = 0; k <= m.moves; k += 3) {
            cells now = all_cells(&m, k);
            check_gids(&m, &now);
            check_neighbors(&m, k, &now);
            if (i == 0) assert_in_range(now.count, 1936, 1948);
            free(now.all);
        }
    }
}

TEST(test_large)
{
    mesh m = prepared(1000, 1000, 2, WAVE_CUBIC), wide = prepared(2000, 1000, 2, WAVE_CUBIC);
    cells now = all_cells(&m, 1), more = all_cells(&wide, 1);
    cell around[MESH_NEIGHBORS];
    int64_t arcs = 0;
    for (int64_t i = 0; i < now.count; i++) arcs += pen_mesh_neighbors(&m, 1, now.all[i], around);
    assert_int_equal(now.count, 1012228);
    assert_int_equal(arcs, 2 * 2026052);
    assert_int_equal(missing(&m, 0, &now), 13152);
    assert_int_equal(more.count, 2012588);
    assert_int_equal(missing(&wide, 0, &more), 13374);
    free(now.all);
    free(more.all);
}

/* The largest grids: all gids fit; what is larger is refused. */
TEST(test_limits)
{
    for (int32_t depth = 0; depth <= MESH_DEEPEST; depth++) {
        int32_t most = INT32_MAX >> depth;
        mesh high = { 1, most, depth, WAVE_LINE, 0, 0.0, 0.0, 0.0 },
             both = { most, most, depth, WAVE_LINE, 0, 0.0, 0.0, 0.0 };
        cell last = { depth, (int32_t)(((int64_t)most << depth) - 1), (int32_t)(((int64_t)most << depth) - 1) };
        assert_true(pen_mesh_prepare(&high));
        assert_false(pen_mesh_prepare(&both)); /* by its mass */
        assert_true(pen_mesh_gid(&both, last) > 0);
        assert_true(same(pen_mesh_cell(&both, pen_mesh_gid(&both, last)), last));
        high.height++;
        assert_false(pen_mesh_prepare(&high));
    }
    mesh heavy = { 10000, 10000, 0, WAVE_LINE, 0, 0.0, 0.0, 0.0 };
    assert_true(pen_mesh_prepare(&heavy));
    assert_true(pen_mesh_mass(&heavy) > INT64_MAX / 10 * 9);
    heavy.height = 11000;
    assert_false(pen_mesh_prepare(&heavy));
}
