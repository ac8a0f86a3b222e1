/* cells.c - the cells of an octree, and sets of them. */
#include "apps/nbody/cells.h"

#include <math.h>
#include <stdlib.h>

enum { COLUMNS = 1 << NBODY_LEVELS };

static double scaled(double x, double half) { return (x + half) * (COLUMNS / 2 / half); }

bool pen_cell_is_inside(const double place[3], double half)
{
    for (int d = 0; d < 3; d++)
        if (!(scaled(place[d], half) >= 0.0 && scaled(place[d], half) < COLUMNS)) return false;
    return true;
}

cell_columns pen_cell_columns(const double place[3], double half)
{
    cell_columns columns;
    for (int d = 0; d < 3; d++) {
        double t = scaled(place[d], half);
        columns.at[d] = (int32_t)fmin(fmax(t, 0.0), COLUMNS - 1);
    }
    return columns;
}

/* Insert two zero bits above each of the lowest 21 bits. */
static uint64_t spread(uint64_t x)
{
    x = (x | x << 32) & UINT64_C(0x1f00000000ffff);
    x = (x | x << 16) & UINT64_C(0x1f0000ff0000ff);
    x = (x | x << 8) & UINT64_C(0x100f00f00f00f00f);
    x = (x | x << 4) & UINT64_C(0x10c30c30c30c30c3);
    return (x | x << 2) & UINT64_C(0x1249249249249249);
}

pen_gid pen_cell_gid(int level, cell_columns c)
{
    uint64_t code = spread((uint64_t)c.at[0]) | spread((uint64_t)c.at[1]) << 1 | spread((uint64_t)c.at[2]) << 2;
    return (pen_gid)(UINT64_C(1) << 3 * level | code);
}

void pen_cell_middle(pen_gid cell, double half, double place[3])
{
    place[0] = place[1] = place[2] = 0.0;
    for (int up = pen_cell_level(cell) - 1; up >= 0; up--) {
        half *= 0.5;
        for (int d = 0; d < 3; d++) place[d] += pen_cell_octant(cell >> 3 * up) >> d & 1 ? half : -half;
    }
}

bool pen_cell_window_create(double delta, cell_window *w)
{
    w->reach = (int32_t)floor(sqrt(3.0) / delta) + 1;
    w->width = 2 * w->reach + 1;
    int32_t bits = w->width * w->width * w->width;
    w->words = (bits + 63) / 64;
    w->most = 0;
    w->off = (cell_columns *)malloc((size_t)bits * sizeof *w->off);
    for (int32_t bit = 0; w->off && bit < bits; bit++) {
        int32_t apart2 = 0; /* distance of the nearest points of the cell and the middle one, in sides */
        for (int32_t d = 0, rest = bit; d < 3; d++, rest /= w->width) {
            int32_t off = rest % w->width - w->reach, between = abs(off) > 1 ? abs(off) - 1 : 0;
            w->off[bit].at[d] = off;
            apart2 += between * between;
        }
        w->most += apart2 <= w->reach * w->reach;
    }
    return w->off != NULL;
}

void pen_cell_window_free(cell_window *window)
{
    free(window->off);
    window->off = NULL;
}

static int32_t compact(uint64_t x)
{
    x &= UINT64_C(0x1249249249249249);
    x = (x | x >> 2) & UINT64_C(0x10c30c30c30c30c3);
    x = (x | x >> 4) & UINT64_C(0x100f00f00f00f00f);
    x = (x | x >> 8) & UINT64_C(0x1f0000ff0000ff);
    x = (x | x >> 16) & UINT64_C(0x1f00000000ffff);
    return (int32_t)((x | x >> 32) & 0x1fffff);
}

void pen_cell_set_add(const cell_window *window, uint64_t *set, int level, cell_columns middle, pen_gid cell)
{
    uint64_t code = (uint64_t)cell ^ UINT64_C(1) << 3 * level;
    int32_t bit = 0;
    for (int d = 2; d >= 0; d--) {
        int32_t off = compact(code >> d) - middle.at[d];
        if (off < -window->reach || off > window->reach) return;
        bit = bit * window->width + off + window->reach;
    }
    set[bit / 64] |= UINT64_C(1) << bit % 64;
}

int64_t pen_cell_set_list(const cell_window *window, const uint64_t *set, int level, cell_columns middle, pen_gid *gids)
{
    int64_t count = 0;
    for (int32_t w = 0; w < window->words; w++)
        for (uint64_t left = set[w]; left; left &= left - 1) {
            cell_columns at = window->off[64 * w + pen_lowest_bit(left)];
            for (int d = 0; d < 3; d++) at.at[d] += middle.at[d];
            pen_gid gid = pen_cell_gid(level, at);
            int64_t i = count++;
            for (; i > 0 && gids[i - 1] > gid; i--) gids[i] = gids[i - 1];
            gids[i] = gid;
        }
    return count;
}
