/* view.h - what algorithms see of a graph (penumbra_plugin.h), made from rows of gids. */
#ifndef PEN_VIEW_H
#define PEN_VIEW_H

#include "graph/graph.h"
#include <penumbra_plugin.h>

/* A rank's rows, any order within a row. */
typedef struct pen_view_rows {
    pen_lid count;
    const pen_gid *gids;         /* [count] */
    const double *loads;         /* [count] */
    const int64_t *rows;         /* [count+1] */
    const pen_gid *neighbors;    /* [rows[count]] */
    const int32_t *owners;       /* [rows[count]] of the neighbours */
    const int64_t *edge_weights; /* [rows[count]] or NULL; on all ranks or none */
    bool directed;               /* neighbours are those that a node reads; readers are added */
} pen_view_rows;

/* Collective. The arrays of *view are its own (pen_load_view_free), its bytes 0 and its horizon 1. An edge that is
 * read in both directions of a directed graph weighs the sum of both. On failure *view is empty.
 * PEN_ERR_MEMORY, PEN_ERR_MPI, PEN_ERR_UNSUPPORTED (more than 2^31 - 1 nodes or 2^32 - 1 arcs on a rank). */
PEN_CHECKED pen_status pen_load_view_create(pen_comm *comm, const pen_view_rows *rows, pen_load_view *view);

/* Collective. The same of a graph as it is distributed, loads being the node weights. */
PEN_CHECKED pen_status pen_load_view_of_graph(const pen_graph *graph, pen_load_view *view);

/* Local. Only for views that were made here. */
void pen_load_view_free(pen_load_view *view);

#endif
