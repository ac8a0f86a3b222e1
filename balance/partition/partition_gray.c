/* partition_gray.c - the gray-code embedding of a mesh in a hypercube, fine-grained.
 *
 * The grid is tiled by R x C ranks, R * C = 2^k. The node in row r and column c goes to the rank whose number has the
 * gray code of r mod R in its high bits and that of c mod C in its low bits. Gray codes of neighbouring numbers differ
 * in one bit, also those of the last and the first. So neighbours in a row or in a column are on neighbouring ranks of
 * the hypercube, and a hexagon's two other neighbours, one row and one column away, are at distance two.
 *
 * A hexagon's neighbours are in columns c - 1 and c + 1 of its own row, and in two adjacent columns of each of the rows
 * r - 1 and r + 1. If R >= 4 and C >= 4, the three rows differ modulo R and the columns c - 1, c, c + 1 modulo C: the
 * seven nodes are on seven ranks. 2^k >= 16 permits that. A grid of fewer than three rows (columns) needs only as many.
 */
#include "partition/grid.h"
#include "partition/partition.h"

typedef struct tile {
    int64_t rows, columns; /* sizes of a tile, powers of two */
} tile;

static int64_t blocks(int64_t n, int64_t size) { return (n - 1) / size + 1; }

/* The number of nodes of the rank that has most: the one of the tile's first row and column. */
static double share(const pen_grid_shape *grid, tile t)
{
    return (double)blocks(grid->height, t.rows) * (double)blocks(grid->width, t.columns);
}

static int64_t needed(int64_t n) { return n < 3 ? n : 4; }

static bool separates(const pen_grid_shape *grid, tile t)
{
    return t.rows >= needed(grid->height) && t.columns >= needed(grid->width);
}

static int64_t slimness(tile t) { return t.rows > t.columns ? t.rows / t.columns : t.columns / t.rows; }

/* Compare tiles: separating the neighbours comes first, then a small share, then a square tile, then a flat one. */
static bool is_better(const pen_grid_shape *grid, tile a, tile b)
{
    if (separates(grid, a) != separates(grid, b)) return separates(grid, a);
    if (share(grid, a) != share(grid, b)) return share(grid, a) < share(grid, b);
    return slimness(a) < slimness(b);
}

static pen_status partition(const void *settings, const pen_graph *graph, const pen_machine *machine, int parts,
                            int32_t *part)
{
    pen_grid_shape grid;
    if ((parts & (parts - 1)) != 0)
        return pen_fail(PEN_ERR_UNSUPPORTED, "partitioner gray: %d parts, must be a power of two (a hypercube)", parts);
    PEN_TRY(pen_grid_find(graph, "gray", settings, &grid));
    for (int p = 1; machine && p < parts; p++)
        if (machine->speeds[p] != machine->speeds[0])
            return pen_fail(PEN_ERR_UNSUPPORTED,
                            "partitioner gray: all tiles are equal, but the processors have different speeds");
    tile best = { 1, parts };
    for (int64_t rows = 2; rows <= parts; rows *= 2) {
        tile t = { rows, parts / rows };
        if (is_better(&grid, t, best)) best = t;
    }
    for (pen_lid i = 0; i < graph->count; i++) {
        pen_gid gid = pen_graph_gid(graph, i);
        int64_t row = gid / grid.width % best.rows, column = gid % grid.width % best.columns;
        part[i] = (int32_t)((row ^ row >> 1) * best.columns + (column ^ column >> 1));
    }
    return PEN_OK;
}

static const pen_setting settings[] = { PEN_GRID_SETTINGS, { .name = NULL } };

const pen_partitioner pen_partitioner_gray = {
    .name = "gray",
    .summary = "tiles a grid with a hypercube's 2^k ranks in Gray code; from 16 ranks on, a hexagon and its neighbours "
               "are on seven ranks",
    .settings = settings,
    .settings_size = sizeof(pen_grid_shape),
    .of_graph = partition,
};
