/* vtu.h - writes a state as a VTK unstructured grid. Nodes become the cells of a grid or of a mesh, or points with
 * edges as lines between them, or cells of the shape that the application gives them. */
#pragma once

#include "base/per_rank.h"
#include "output/cells.h"
#include "output/columns.h"
#include "output/mesh.h"
#include "output/sequence.h"

typedef struct pen_vtu {
    pen_comm *comm; /* the ranks that write the file together */
    const pen_store *store;
    const pen_sequence *sequence;
    const pen_columns *columns; /* the columns to write, with their values set */
    int dimensions;             /* dimensions of the places; not needed for a grid */
    const double *places;       /* [(owned+shadows)*dimensions] places of the nodes, by slot */
    const double *sides;        /* [3*owned] side lengths of cells with a shape */
    pen_cells cells;            /* the cells; if they have no corners, nodes become points, with lines between them */
    const pen_mesh_part *mesh;  /* the cells, in place of `cells`, for all positions of `sequence`; NULL: none */
    double time;                /* time of the state: its number of steps, or the application's own time */
    bool put_off;               /* for pen_vtu_write: the file gets its name before it is synced to the disk */
} pen_vtu;

/* Collective. Write one file, the same for all distributions of the graph. Points and cells are in the order of gids;
 * if nodes are points, each node is followed by its lines. *bytes becomes the file's length. PEN_ERR_IO,
 * PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_vtu_write(const pen_vtu *vtu, const char *path, int64_t *bytes);

/* Collective; vtu->comm has all ranks of the store. Write a file for each rank's own nodes
 * (pen_naming_piece), and `path`, which lists these files. Points that other ranks own are ghosts. *bytes becomes the
 * sum of the lengths. Errors: as above. */
PEN_CHECKED pen_status pen_pvtu_write(const pen_vtu *vtu, const char *path, int64_t *bytes);

/* Numbers of points and cells have 64 bits if there are more points or cells than this. Tests make it smaller. */
extern PEN_PER_RANK int64_t pen_vtu_narrow;
