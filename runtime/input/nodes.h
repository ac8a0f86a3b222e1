/* nodes.h - the nodes that get values from files, independent of their owners. */
#pragma once

#include "base/comm.h"

/* Nodes of a graph in any distribution, with their arcs. */
typedef struct pen_input_nodes {
    pen_comm *comm;
    bool directed;
    pen_lid count;          /* here */
    const pen_gid *gids;    /* [count], then the gids of their neighbours */
    const uint32_t *rows;   /* [count+1] */
    const pen_lid *columns; /* [rows[count]] places of the neighbours in gids; the gids of a row ascend */
    void *context;
    pen_lid (*find)(void *context, pen_gid gid); /* Local. The number of the node here with that gid; -1: none */
    /* Collective. As pen_directory_resolve_with. */
    pen_status (*resolve)(void *context, pen_status mine, int64_t count, const pen_gid *gids, int32_t *owners);
} pen_input_nodes;
