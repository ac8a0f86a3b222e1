/* mesh.h - the cells of an unstructured mesh, one for each node of the graph: the places of its points, and the corners
 * of its cells. Every rank has a block of the points and a block of the cells, whichever ranks own the nodes; the cells
 * of its block are those of the nodes that it writes to a .vtu file (sequence.h). */
#pragma once

#include "base/comm.h"

typedef struct pen_mesh_part {
    int64_t all_points, all_cells, all_corners;    /* numbers in the whole mesh; a corner counts in each cell */
    int64_t first_point, first_cell, first_corner; /* numbers of the first ones of this rank */
    int64_t points, cells;                         /* numbers of this rank's points and cells */
    bool is_flat;                                  /* cells are polygons */
    double *places;                                /* [3*points] */
    int64_t *rows;                                 /* [cells+1] beginnings of the cells in `corners` */
    int64_t *corners;                              /* [rows[cells]] numbers of points, in VTK's order */
    unsigned char *types;                          /* [cells] VTK's numbers of the cell types */
} pen_mesh_part;

/* Collective. Check what the ranks give, and distribute it. mine: this rank's status so far. The caller frees *part,
 * also after a failure. PEN_ERR_INPUT (a wrong number of corners, a corner that is no point, a place that is not
 * finite, dimensions that are not 2 or 3 or differ between ranks), PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_mesh_distribute(pen_comm *comm, pen_status mine, const pen_mesh *given, pen_mesh_part *part);

/* Collective. Get cells of the mesh, [count] numbers in ascending order, and the points that they use: a mesh of its
 * own, whose numbers begin at 0. mine: this rank's status so far. The caller frees *part, also after a failure.
 * PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_mesh_get(pen_comm *comm, pen_status mine, const pen_mesh_part *mesh, int64_t count,
                                    const int64_t *cells, pen_mesh_part *part);

/* Local. Free the arrays. */
void pen_mesh_part_free(pen_mesh_part *part);
