/* cells.h - the nodes of a grid as VTK's cells: squares, boxes and hexagons around the nodes' places. All Local.
 *
 * Places are those of pen_coordinates: a square's or a box's sides are 1 long, and so is the way between the middles of
 * two hexagons. A torus is drawn unrolled. Neighbours share their corners, whose numbers follow from the grid. */
#ifndef PEN_OUTPUT_CELLS_H
#define PEN_OUTPUT_CELLS_H

#include "base/status.h"

enum { PEN_MOST_CORNERS = 8 };

typedef struct pen_cells {
    pen_grid grid;
    int64_t width, height, depth;
    int corners;          /* of a cell; 0: this is no grid */
    unsigned char type;   /* as VTK calls it */
    int64_t corner_count; /* of all cells */
} pen_cells;

pen_cells pen_cells_of(const pen_world *world);

/* The corners of a node's cell, in VTK's order. */
void pen_cell_corners(const pen_cells *cells, pen_gid gid, int64_t corners[PEN_MOST_CORNERS]);

/* Where a corner is. */
void pen_corner_place(const pen_cells *cells, int64_t corner, double at[3]);

#endif
