/* cells.c - nodes as VTK cells. */
#include "output/cells.h"

#include <math.h>

/* VTK's numbers of cell types. */
enum { VTK_VERTEX = 1, VTK_LINE = 3, VTK_POLYGON = 7, VTK_QUAD = 9, VTK_VOXEL = 11 };

/* Corners around the centre of a cell: squares and boxes have sides of length 1, the hexagon has width 1, and y in
 * units of its side. */
static const double quad[][3] = { { -0.5, -0.5, 0.0 }, { 0.5, -0.5, 0.0 }, { 0.5, 0.5, 0.0 }, { -0.5, 0.5, 0.0 } };
static const double voxel[][3] = { { -0.5, -0.5, -0.5 }, { 0.5, -0.5, -0.5 }, { -0.5, 0.5, -0.5 }, { 0.5, 0.5, -0.5 },
                                   { -0.5, -0.5, 0.5 },  { 0.5, -0.5, 0.5 },  { -0.5, 0.5, 0.5 },  { 0.5, 0.5, 0.5 } };
static const double hexagon[][2] = { { -0.5, -0.5 }, { 0.0, -1.0 }, { 0.5, -0.5 },
                                     { 0.5, 0.5 },   { 0.0, 1.0 },  { -0.5, 0.5 } };

pen_cells pen_cells_of(const pen_world *w)
{
    pen_cells c = { .grid = w->grid, .width = w->width, .height = w->height, .depth = w->depth };
    if (w->grid == PEN_GRID_NONE) return c;
    if (w->grid == PEN_GRID_HEX) {
        c.corners = 6;
        c.type = VTK_POLYGON;
        c.corner_count = (2 * w->width + 2) * (w->height + 1);
    } else if (w->depth > 1) {
        c.corners = 8;
        c.type = VTK_VOXEL;
        c.corner_count = (w->width + 1) * (w->height + 1) * (w->depth + 1);
    } else {
        c.corners = 4;
        c.type = VTK_QUAD;
        c.corner_count = (w->width + 1) * (w->height + 1);
    }
    return c;
}

/* Hexagons have a corner at the top and at the bottom. The corners between two rows form a zigzag line of 2 * width + 2
 * points, half a hexagon's width apart; the line is low below the middle of a hexagon, and high above it. */
static void hexagon_corners(const pen_cells *c, pen_gid gid, int64_t *corners)
{
    const int64_t row = gid / c->width, column = gid % c->width, line = 2 * c->width + 2;
    const int64_t below = row * line + 2 * column + 1 + row % 2, above = below + line;
    const int64_t around[] = { below - 1, below, below + 1, above + 1, above, above - 1 };
    memcpy(corners, around, sizeof around);
}

static void hexagon_place(const pen_cells *c, int64_t corner, double at[3])
{
    const int64_t line = corner / (2 * c->width + 2), along = corner % (2 * c->width + 2);
    const bool low = (along + line) % 2 == 1;
    at[0] = 0.5 * (double)along - 0.5;
    at[1] = sqrt(0.75) * (double)line - sqrt(1.0 / 3.0) * (low ? 1.0 : 0.5);
    at[2] = 0.0;
}

static void square_corners(const pen_cells *c, pen_gid gid, int64_t *corners)
{
    const int64_t first = gid / c->width * (c->width + 1) + gid % c->width, next = first + c->width + 1;
    corners[0] = first;
    corners[1] = first + 1;
    corners[2] = next + 1;
    corners[3] = next;
}

static void box_corners(const pen_cells *c, pen_gid gid, int64_t *corners)
{
    const int64_t row = gid / c->width, layer = row / c->height, wide = c->width + 1, flat = wide * (c->height + 1);
    const int64_t first = layer * flat + row % c->height * wide + gid % c->width;
    for (int i = 0; i < 8; i++) corners[i] = first + i % 2 + i / 2 % 2 * wide + i / 4 * flat;
}

void pen_cell_corners(const pen_cells *c, pen_gid gid, int64_t corners[PEN_MOST_CORNERS])
{
    if (c->grid == PEN_GRID_HEX) hexagon_corners(c, gid, corners);
    else if (c->corners == 8) box_corners(c, gid, corners);
    else square_corners(c, gid, corners);
}

pen_status pen_cells_of_shape(pen_shape shape, int dimensions, pen_cells *cells)
{
    static const unsigned char boxes[] = { 0, VTK_LINE, VTK_QUAD, VTK_VOXEL };
    *cells = (pen_cells){ .shape = shape, .corners = 1, .type = VTK_VERTEX };
    if (shape == PEN_SHAPE_BOX) {
        cells->corners = 1 << dimensions;
        cells->type = boxes[dimensions];
    }
    if (shape != PEN_SHAPE_HEXAGON) return PEN_OK;
    cells->corners = 6;
    cells->type = VTK_POLYGON;
    if (dimensions == 2) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "nodes are hexagons, which need 2 coordinates, but there are %d", dimensions);
}

/* The offset of a corner from the centre of the cell, in lengths of its sides. */
static double offset(const pen_cells *c, int dimensions, int corner, int d)
{
    if (c->shape == PEN_SHAPE_POINT) return 0.0;
    if (c->shape == PEN_SHAPE_HEXAGON) return hexagon[corner][d] * (d == 1 ? sqrt(1.0 / 3.0) : 1.0);
    return dimensions == 2 ? quad[corner][d] : voxel[corner][d];
}

void pen_shape_corners(const pen_cells *c, int dimensions, const double *place, const double sides[3], double *at)
{
    for (int corner = 0; corner < c->corners; corner++, at += 3) {
        at[0] = at[1] = at[2] = 0.0;
        for (int d = 0; d < dimensions; d++)
            at[d] = place[d] + sides[c->shape == PEN_SHAPE_HEXAGON ? 0 : d] * offset(c, dimensions, corner, d);
    }
}

void pen_corner_place(const pen_cells *c, int64_t corner, double at[3])
{
    if (c->grid == PEN_GRID_HEX) {
        hexagon_place(c, corner, at);
        return;
    }
    const int64_t row = corner / (c->width + 1);
    at[0] = (double)(corner % (c->width + 1)) - 0.5;
    at[1] = (double)(row % (c->height + 1)) - 0.5;
    at[2] = c->corners == 8 ? (double)(row / (c->height + 1)) - 0.5 : 0.0;
}
