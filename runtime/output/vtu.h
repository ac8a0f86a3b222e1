/* vtu.h - a state as VTK's unstructured grid: the cells of a grid with the nodes' values, or nodes as points with
 * values, and edges as lines between them, or nodes in the shape that the application gives them. */
#pragma once

#include "output/cells.h"
#include "output/columns.h"
#include "output/sequence.h"

typedef struct pen_vtu {
    pen_comm *comm; /* the ranks that write the file */
    const pen_store *store;
    const pen_sequence *sequence;
    const pen_columns *columns; /* their values are known */
    int dimensions;             /* of places, where they are needed: but for a grid */
    const double *places;       /* [(owned+shadows)*dimensions] of nodes by slot */
    const double *sides;        /* [3*owned] of cells with a shape */
    pen_cells cells;            /* without corners: nodes become points, with lines between them */
    int64_t step;
    bool put_off; /* of one file: it gets its name before its bytes are on the disk */
} pen_vtu;

/* Collective. One file, the same for all distributions of the graph. Points and cells follow the gids; with points each
 * node is followed by its lines. *bytes: of it. PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_vtu_write(const pen_vtu *vtu, const char *path, int64_t *bytes);

/* Collective; vtu->comm are all ranks of the store. A file for each rank's own nodes (pen_naming_piece), and `path`,
 * which names them. Points that other ranks own are there as ghosts. *bytes: of all. Errors: as above. */
PEN_CHECKED pen_status pen_pvtu_write(const pen_vtu *vtu, const char *path, int64_t *bytes);

/* Tests make it smaller: numbers of points and cells have 64 bits where they exceed it. */
extern int64_t pen_vtu_narrow;
