/* vtu.h - writes a state as a VTK unstructured grid. Nodes become the cells of a grid, or points with edges as lines
 * between them, or cells of the shape that the application gives them. */
#pragma once

#include "base/per_rank.h"
#include "output/cells.h"
#include "output/columns.h"
#include "output/sequence.h"

typedef struct pen_vtu {
    pen_comm *comm; /* the ranks that write the file */
    const pen_store *store;
    const pen_sequence *sequence;
    const pen_columns *columns; /* with known values */
    int dimensions;             /* of places; not needed for a grid */
    const double *places;       /* [(owned+shadows)*dimensions] of nodes by slot */
    const double *sides;        /* [3*owned] of cells with a shape */
    pen_cells cells;            /* if they have no corners, nodes become points, with lines between them */
    double time;                /* of the state: steps, or what the application counts */
    bool put_off;               /* vtu only: the file gets its name before it is synced to the disk */
} pen_vtu;

/* Collective. One file, the same for all distributions of the graph. Points and cells are in the order of gids; with
 * points, each node is followed by its lines. *bytes becomes its length. PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_vtu_write(const pen_vtu *vtu, const char *path, int64_t *bytes);

/* Collective; vtu->comm has all ranks of the store. Write a file for each rank's own nodes (pen_naming_piece), and
 * `path`, which lists these files. Points that other ranks own are ghosts. *bytes becomes the sum of the lengths.
 * Errors: as above. */
PEN_CHECKED pen_status pen_pvtu_write(const pen_vtu *vtu, const char *path, int64_t *bytes);

/* If the number of points or cells exceeds it, their numbers have 64 bits. Tests make it smaller. */
extern PEN_PER_RANK int64_t pen_vtu_narrow;
