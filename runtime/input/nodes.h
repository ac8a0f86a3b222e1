/* nodes.h - the nodes that get values from files, independent of their owners. */
#pragma once

#include "base/comm.h"

/* Nodes of a graph in any distribution, with their arcs. */
typedef struct pen_input_nodes {
    pen_comm *comm;
    bool directed;
    pen_lid count;          /* number of nodes on this rank */
    const pen_gid *gids;    /* [count] gids of these nodes, then gids of their neighbours */
    const uint32_t *rows;   /* [count+1] row pointers */
    const pen_lid *columns; /* [rows[count]] indices of the neighbours in gids; the gids of a row ascend */
    void *context;
    /* Local. The index of this rank's node with a gid; -1: no such node. */
    pen_lid (*find)(void *context, pen_gid gid);
    /* Collective. Find the owners of gids, like pen_directory_resolve_with. */
    pen_status (*resolve)(void *context, pen_status mine, int64_t count, const pen_gid *gids, int32_t *owners);
} pen_input_nodes;
