/* cells.h - nodes as VTK cells: the squares, boxes or hexagons of a grid, or the shapes that an application gives its
 * nodes. All Local.
 *
 * Positions are those of pen_coordinate: a square or box has sides of length 1, and neighbouring hexagons have
 * distance 1. A torus is drawn unrolled. Neighbours share corners, whose numbers follow from the grid. */
#pragma once

#include "base/status.h"

enum { PEN_MOST_CORNERS = 8 };

typedef struct pen_cells {
    pen_shape shape; /* the shape of all cells; PEN_SHAPE_NONE: cells of a grid */
    pen_grid grid;
    int64_t width, height, depth;
    int corners;          /* number of corners of a cell; 0: there are no cells */
    unsigned char type;   /* VTK's number of the cell type */
    int64_t corner_count; /* number of corners of all cells of a grid */
} pen_cells;

pen_cells pen_cells_of(const pen_world *grid);

/* Choose the cells of a shape other than NONE, for places with so many dimensions. PEN_ERR_INPUT: the shape has no such
 * cells. */
PEN_CHECKED pen_status pen_cells_of_shape(pen_shape shape, int dimensions, pen_cells *cells);

/* The corners of a cell with a shape, in VTK's order, at[3*corners]: around a place [dimensions], with sides of these
 * lengths. */
void pen_shape_corners(const pen_cells *cells, int dimensions, const double *place, const double sides[3], double *at);

/* The corners of a node's cell, in VTK's order. */
void pen_cell_corners(const pen_cells *cells, pen_gid gid, int64_t corners[PEN_MOST_CORNERS]);

/* The place of a corner. */
void pen_corner_place(const pen_cells *cells, int64_t corner, double at[3]);
