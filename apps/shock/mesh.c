/* mesh.c - the cells of a mesh that is fine at a wave. */
#include "apps/shock/mesh.h"

#include <stdlib.h>

const char *const pen_wave_names[WAVES] = { "cubic", "line", "circle" };

bool pen_mesh_prepare(mesh *m)
{
    double width = (double)m->width, height = (double)m->height;
    double slope = 0.0;
    m->start = width / 8.0;
    m->bend = 0.0;
    if (m->wave == WAVE_CIRCLE) {
        m->bend = fmin(width, height) / 8.0;
        slope = 1.0;
    } else if (m->wave == WAVE_CUBIC) {
        m->bend = width / 10.0;
        slope = 0.6 * width / height;
    }
    /* pen_mesh_split_near looks up to 1.5 sides away in one direction and 0.5 in the other, for a wave within a
     * side. */
    m->reach = 2.0 + 1.5 * slope;
    /* Then gids, which are below 4/3 width * height * 4^depth, fit, too. */
    if (m->width > INT32_MAX >> m->depth || m->height > INT32_MAX >> m->depth) return false;
    return m->width * m->height <= INT64_MAX / MESH_UNIT * 2 / (m->width + 1);
}

int64_t pen_mesh_mass(const mesh *m) { return m->height * (m->width * (m->width + 1) / 2) * MESH_UNIT; }

/* The number of cells inside a coarse cell on the levels 1 .. level - 1. */
static int64_t inside(int32_t level) { return ((INT64_C(1) << 2 * level) - 4) / 3; }

pen_gid pen_mesh_gid(const mesh *m, cell c)
{
    pen_gid coarse = (int64_t)(c.y >> c.level) * m->width + (c.x >> c.level);
    if (c.level == 0) return coarse;
    int64_t morton = 0;
    for (int32_t bit = 0; bit < c.level; bit++)
        morton |= (int64_t)(c.x >> bit & 1) << 2 * bit | (int64_t)(c.y >> bit & 1) << (2 * bit + 1);
    return m->width * m->height + coarse * inside(m->depth + 1) + inside(c.level) + morton;
}

pen_gid pen_mesh_gids(const mesh *m) { return m->width * m->height * (1 + inside(m->depth + 1)); }

cell pen_mesh_cell(const mesh *m, pen_gid gid)
{
    int64_t coarse = gid, place = gid - m->width * m->height;
    cell c = { 0, 0, 0 };
    if (place >= 0) {
        coarse = place / inside(m->depth + 1);
        place %= inside(m->depth + 1);
        c.level = 1;
        while (place >= inside(c.level + 1)) c.level++;
        place -= inside(c.level);
    }
    c.x = (int32_t)(coarse % m->width) << c.level;
    c.y = (int32_t)(coarse / m->width) << c.level;
    for (int32_t bit = 0; bit < c.level; bit++) {
        c.x |= (int32_t)(place >> 2 * bit & 1) << bit;
        c.y |= (int32_t)(place >> (2 * bit + 1) & 1) << bit;
    }
    return c;
}

/* The wave's x at this y; for a circle, that of its centre. */
static double wave_at(const mesh *m, int64_t k, double y)
{
    double t = 2.0 * y / (double)m->height - 1.0;
    return m->wave == WAVE_CIRCLE ? pen_mesh_middle(m, k) : pen_mesh_middle(m, k) + m->bend * (t * t * t);
}

/* The distance of a place from the wave: along x, except for the circle. */
static double distance(const mesh *m, int64_t k, double x, double y)
{
    double dx = x - wave_at(m, k, y), dy = y - 0.5 * (double)m->height;
    return m->wave == WAVE_CIRCLE ? fabs(sqrt(dx * dx + dy * dy) - m->bend) : fabs(dx);
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    if (value < low) return low;
    return value > high ? high : value;
}

/* Whether one of the cells (level, from..to, row) is at most `near` from the wave. The nearest cells are around the
 * place where the wave crosses the row, which for a circle is approximate. */
static bool row_meets(const mesh *m, int64_t k, int32_t level, int64_t row, int64_t from, int64_t to, double near)
{
    double side = pen_mesh_side(level), y = ((double)row + 0.5) * side, dy = y - 0.5 * (double)m->height, half = 0.0;
    if (m->wave == WAVE_CIRCLE && fabs(dy) < m->bend) half = sqrt(m->bend * m->bend - dy * dy);
    for (int sign = -1; sign <= 1; sign += 2) {
        int64_t there = (int64_t)floor((wave_at(m, k, y) + sign * half) / side), around = m->wave == WAVE_CIRCLE;
        int64_t last = clamp(there + around, from, to);
        for (int64_t x = clamp(there - around, from, to); x <= last; x++)
            if (distance(m, k, ((double)x + 0.5) * side, y) <= near) return true;
        if (half == 0.0) break;
    }
    return false;
}

/* Whether a cell is split: because of itself, or because a child, its own or one that touches it from outside, is
 * split; the same holds for that child, and so on. `deeper` levels down these are the cells less than 2^deeper steps
 * from the cell, which is 2^deeper cells wide there. */
bool pen_mesh_split_near(const mesh *m, int64_t k, cell c)
{
    double side = pen_mesh_side(c.level);
    if (distance(m, k, (c.x + 0.5) * side, (c.y + 0.5) * side) > m->reach * side) return false;
    for (int32_t level = c.level; level < m->depth; level++) {
        int32_t deeper = level - c.level;
        int64_t moves = (INT64_C(1) << deeper) - 1, x = (int64_t)c.x << deeper, y = (int64_t)c.y << deeper;
        int64_t columns = m->width << level, rows = m->height << level;
        double near = (level == m->depth - 1 ? 0.5 : 1.0) * pen_mesh_side(level);
        for (int64_t row = clamp(y - moves, 0, rows); row < clamp(y + 2 * moves + 1, 0, rows); row++) {
            int64_t aside = moves - llabs(row - clamp(row, y, y + moves));
            int64_t from = clamp(x - aside, 0, columns - 1), to = clamp(x + moves + aside, 0, columns - 1);
            if (row_meets(m, k, level, row, from, to, near)) return true;
        }
    }
    return false;
}

static bool exists(const mesh *m, cell c)
{
    return c.x >= 0 && c.y >= 0 && c.x < m->width << c.level && c.y < m->height << c.level;
}

int pen_mesh_neighbors(const mesh *m, int64_t k, cell c, cell neighbors[MESH_NEIGHBORS])
{
    static const int32_t to_x[] = { -1, 1, 0, 0 }, to_y[] = { 0, 0, -1, 1 };
    /* For each direction the children that touch c. */
    static const int near[][2] = { { 1, 3 }, { 0, 2 }, { 2, 3 }, { 0, 1 } };
    int count = 0;
    for (int i = 0; i < 4; i++) {
        cell next = { c.level, c.x + to_x[i], c.y + to_y[i] };
        if (!exists(m, next)) continue;
        int32_t level = pen_mesh_level(m, k, next);
        if (level <= c.level) neighbors[count++] = pen_mesh_ancestor(next, level);
        else
            for (int j = 0; j < 2; j++) neighbors[count++] = pen_mesh_child(next, near[i][j]);
    }
    return count;
}
