/* cells.h - the cells of an octree by their gids, and sets of cells of one level around a place. All functions are
 * Local. */
#pragma once

#include <penumbra_basics.h>

enum { NBODY_LEVELS = 20 }; /* number of levels below the root */

/* ---- Gids: 8^level + Morton code -------------------------------------------------------------- */

static const pen_gid CELL_ROOT = 1;

static inline pen_gid pen_cell_child(pen_gid cell, int j) { return cell << 3 | j; }
static inline pen_gid pen_cell_parent(pen_gid cell) { return cell >> 3; }
/* The number of a cell among the children of its parent. */
static inline int pen_cell_octant(pen_gid cell) { return (int)(cell & 7); }
static inline int pen_cell_level(pen_gid cell)
{
    int level = 0;
    while (cell >>= 3) level++;
    return level;
}
/* The cell of `level` that contains a cell of level `from`. */
static inline pen_gid pen_cell_above(pen_gid cell, int from, int level) { return cell >> 3 * (from - level); }

/* ---- Places ----------------------------------------------------------------------------------- */

/* Column numbers of a cell of some level in x, y, z. */
typedef struct cell_columns {
    int32_t at[3];
} cell_columns;

/* The columns of a place on the deepest level; `half` is H. A place outside the root gets the nearest columns. */
cell_columns pen_cell_columns(const double place[3], double half);
/* Whether a place is inside the root. */
bool pen_cell_is_inside(const double place[3], double half);
pen_gid pen_cell_gid(int level, cell_columns columns);
/* Compute the middle of a cell. */
void pen_cell_middle(pen_gid cell, double half, double place[3]);
static inline cell_columns pen_cell_columns_above(cell_columns deepest, int level)
{
    int up = NBODY_LEVELS - level;
    return (cell_columns){ { deepest.at[0] >> up, deepest.at[1] >> up, deepest.at[2] >> up } };
}
static inline pen_gid pen_cell_deepest(const double place[3], double half)
{
    return pen_cell_gid(NBODY_LEVELS, pen_cell_columns(place, half));
}

/* ---- Sets ------------------------------------------------------------------------------------- */

/* A description of sets of cells of one level, at most `reach` columns from a middle cell. A cell at the offset (x, y,
 * z) from it is bit ((z + reach) * width + y + reach) * width + x + reach. */
typedef struct cell_window {
    int32_t reach, width; /* largest offset of a cell, and 2 * reach + 1 */
    int32_t words;        /* number of 64-bit words in a set */
    int32_t most;         /* largest number of cells of the window that can be close at once */
    cell_columns *off;    /* [width^3] offset of each bit */
} cell_window;

/* Create a window for all cells that can be close with this delta: their centres are at most sqrt(3) / delta sides
 * apart. False: memory is exhausted. */
bool pen_cell_window_create(double delta, cell_window *window);
void pen_cell_window_free(cell_window *window);

/* Add a cell of the window's level to a set, unless it is outside the window. */
void pen_cell_set_add(const cell_window *window, uint64_t *set, int level, cell_columns middle, pen_gid cell);

/* The index of the lowest set bit of a word != 0. */
static inline int pen_lowest_bit(uint64_t word)
{
#if defined(__GNUC__)
    return __builtin_ctzll(word);
#else
    int bit = 0;
    while (!(word >> bit & 1)) bit++;
    return bit;
#endif
}

/* Write the cells of a set to gids[], ascending, and return their number. */
int64_t pen_cell_set_list(const cell_window *window, const uint64_t *set, int level, cell_columns middle,
                          pen_gid *gids);
