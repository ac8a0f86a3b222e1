/* view.h - what algorithms see of a graph (penumbra_plugin.h), made from rows of gids. */
#pragma once

#include "graph/graph.h"
#include <penumbra_plugin.h>

/* The rows of a rank's nodes. */
typedef struct pen_view_rows {
    pen_lid count;
    const pen_gid *gids;         /* [count] any order */
    const double *loads;         /* [count] */
    const int64_t *rows;         /* [count+1] */
    const pen_gid *neighbors;    /* [rows[count]] ascending within a row, each once */
    const int32_t *owners;       /* [rows[count]] of the neighbours */
    const int64_t *edge_weights; /* [rows[count]] or NULL; on all ranks or none */
    const int64_t *reads;        /* [rows[count]] or NULL; on all ranks or none */
} pen_view_rows;

/* Local. The view of rank `rank`: its nodes in the order of the rows, its shadows ascending by gid. The arrays of
 * *view are its own (pen_load_view_free), its bytes 0, its horizon and speed 1, on the only host, without coordinates.
 * On failure *view is empty. PEN_ERR_MEMORY,
 * PEN_ERR_UNSUPPORTED (more than 2^31 - 1 nodes or 2^32 - 1 arcs on a rank). */
PEN_CHECKED pen_status pen_load_view_create(int rank, const pen_view_rows *rows, pen_load_view *view);

/* Collective. The same for a directed graph, whose rows have the neighbours that a node reads: nodes that read it
 * become neighbours as well. An edge that is read in both directions has the sum of both weights; the view has what its
 * nodes read. Also PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_load_view_create_mutual(pen_comm *comm, const pen_view_rows *rows, pen_load_view *view);

/* Local. The view's places: the coordinates, [count * dimensions] and the caller's, or NULL, the world's grid, and the
 * host that the rank is on, with speed 1. */
void pen_load_view_place(pen_load_view *view, const pen_comm *comm, const pen_world *world, int dimensions,
                         const double *coordinates);

/* Local. Set the machine for a view of rank `rank`, or for a partitioner of part `rank`; NULL: no machine. */
void pen_load_view_set_machine(pen_load_view *view, int rank, const pen_machine *machine);

/* Collective. The view of a graph as it is distributed, with node weights as loads and the graph's coordinates. With
 * `mutual`, neighbours of a directed graph are made mutual, as algorithms need them; otherwise they are those that a
 * node reads. Errors: as above. */
PEN_CHECKED pen_status pen_load_view_of_graph(const pen_graph *graph, bool mutual, pen_load_view *view);

/* Local. Only for views that were made here. */
void pen_load_view_free(pen_load_view *view);
