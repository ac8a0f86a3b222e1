/* view.h - makes the views of graphs that algorithms see (penumbra_plugin.h) from rows of gids. */
#pragma once

#include "graph/graph.h"
#include <penumbra_plugin.h>

/* The rows of a rank's nodes, from which a view is made. */
typedef struct pen_view_rows {
    pen_lid count;
    const pen_gid *gids;         /* [count] gids, in any order */
    const double *loads;         /* [count] loads of the nodes */
    const int64_t *rows;         /* [count+1] row pointers */
    const pen_gid *neighbors;    /* [rows[count]] gids of the neighbours, ascending within a row, each once */
    const int32_t *owners;       /* [rows[count]] owners of the neighbours */
    const int64_t *edge_weights; /* [rows[count]] weights of the edges, or NULL; on all ranks or none */
    const int64_t *reads; /* [rows[count]] weights of the arcs that a node reads, or NULL; on all ranks or none */
} pen_view_rows;

/* Local. Create the view of rank `rank`: its nodes in the order of the rows, its shadows ascending by gid. *view owns
 * its arrays (pen_load_view_free); its bytes are 0, its horizon and speed 1, on the only host, without coordinates. On
 * failure *view is empty. PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED (more than 2^31 - 1 nodes or 2^32 - 1 arcs on a rank). */
PEN_CHECKED pen_status pen_load_view_create(int rank, const pen_view_rows *rows, pen_load_view *view);

/* Collective. Create the view of a directed graph, whose rows have the neighbours that a node reads: nodes that read it
 * become neighbours, too. An edge that is read in both directions has the sum of both weights; view->reads has the
 * weights that nodes read. Errors: as pen_load_view_create, and PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_load_view_create_mutual(pen_comm *comm, const pen_view_rows *rows, pen_load_view *view);

/* Local. Set the places in a view: coordinates, [count * dimensions] and owned by the caller, or NULL; the world's
 * grid; and the host of the rank, with speed 1. */
void pen_load_view_place(pen_load_view *view, const pen_comm *comm, const pen_world *world, int dimensions,
                         const double *coordinates);

/* Local. Set the machine for a view of rank `rank`, or for a partitioner of part `rank`; NULL: no machine. */
void pen_load_view_set_machine(pen_load_view *view, int rank, const pen_machine *machine);

/* Collective. Create the view of a graph in its distribution, with node weights as loads and the graph's coordinates.
 * With `mutual`, neighbours of a directed graph are made mutual, as algorithms need them; otherwise they are those that
 * a node reads. Errors: as pen_load_view_create_mutual. */
PEN_CHECKED pen_status pen_load_view_of_graph(const pen_graph *graph, bool mutual, pen_load_view *view);

/* Local. Free a view that was created here. */
void pen_load_view_free(pen_load_view *view);
