/* mesh.h - the cells of a mesh that is fine at a wave, as arithmetic: the cells after k moves of the wave, their gids
 * and their neighbours. No cell is stored: for a cell far from the wave, one distance decides. After
 * m->moves moves the wave stands still; if k < 0 all cells are coarse. All functions are Local. */
#pragma once

#include <penumbra_basics.h>

#include <math.h>

enum { MESH_DEEPEST = 8, MESH_NEIGHBORS = 8 };

/* A cell: the square with side s = 2^-level at (x s, y s). It has four children of half the side, j = 0..3 in Morton
 * order. */
typedef struct cell {
    int32_t level, x, y;
} cell;

typedef enum wave_shape { WAVE_CUBIC, WAVE_LINE, WAVE_CIRCLE, WAVES } wave_shape;
extern const char *const pen_wave_names[WAVES];

typedef struct mesh {
    int64_t width, height; /* size of the mesh in cells of level 0 */
    int32_t depth;         /* the finest level, 0..MESH_DEEPEST */
    wave_shape wave;
    int64_t moves; /* number of moves of the wave, >= 0, each by the side of a coarse cell */
    /* The members from here on are set by pen_mesh_prepare: */
    double start, bend; /* initial position of the wave, and the width of its bend */
    double reach;       /* distance from the wave, in sides of the cell, beyond which cells are never split */
} mesh;

/* Complete *m. False: places, gids or the mass of all cells would overflow. */
bool pen_mesh_prepare(mesh *m);

/* The mass in all cells. At first each cell of column x has the mass (x + 1) * MESH_UNIT. */
#define MESH_UNIT (INT64_C(1) << 24)
int64_t pen_mesh_mass(const mesh *m);

/* The gid of a cell, and the cell of a gid. Coarse cells have the gids of a grid (row * width + column). The cells
 * inside each coarse cell follow, level by level, along a Morton curve. */
pen_gid pen_mesh_gid(const mesh *m, cell c);
cell pen_mesh_cell(const mesh *m, pen_gid gid);
pen_gid pen_mesh_gids(const mesh *m); /* an upper bound: all gids are less */

/* Whether the mesh after k moves has cells inside c, if it has none around c: because the wave is near (within half a
 * side on the finest level but one, within one side on coarser levels), or because otherwise two cells that share a
 * side would differ by more than one level. */
bool pen_mesh_split_near(const mesh *m, int64_t k, cell c);
static inline double pen_mesh_side(int32_t level) { return 1.0 / (double)(1 << level); }
static inline double pen_mesh_middle(const mesh *m, int64_t k)
{
    return m->start + (double)(k < m->moves ? k : m->moves);
}
static inline bool pen_mesh_split(const mesh *m, int64_t k, cell c)
{
    return k >= 0 && c.level < m->depth &&
           fabs((c.x + 0.5) * pen_mesh_side(c.level) - pen_mesh_middle(m, k)) <= m->bend + 2.0 &&
           pen_mesh_split_near(m, k, c);
}

static inline cell pen_mesh_ancestor(cell c, int32_t level)
{
    int32_t up = c.level - level;
    return (cell){ level, c.x >> up, c.y >> up };
}
static inline cell pen_mesh_child(cell c, int j)
{
    return (cell){ c.level + 1, 2 * c.x + (j & 1), 2 * c.y + (j >> 1) };
}

/* The level in the mesh after k moves of the cell that contains c: c.level if it is c, c.level + 1 if c is split. */
static inline int32_t pen_mesh_level(const mesh *m, int64_t k, cell c)
{
    int32_t level = 0;
    while (level <= c.level && pen_mesh_split(m, k, pen_mesh_ancestor(c, level))) level++;
    return level;
}

/* Find the cells that share a part of a side with c, a cell of the mesh after k moves. Returns their number. */
int pen_mesh_neighbors(const mesh *m, int64_t k, cell c, cell neighbors[MESH_NEIGHBORS]);
