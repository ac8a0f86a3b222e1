/* nodes.h - the nodes that values from files are for, whoever has them. */
#pragma once

#include "base/comm.h"

/* Nodes of a graph, distributed anyhow, with their arcs. */
typedef struct pen_input_nodes {
    pen_comm *comm;
    bool directed;
    pen_lid count;          /* here */
    const pen_gid *gids;    /* [count], and of their neighbours */
    const uint32_t *rows;   /* [count+1] */
    const pen_lid *columns; /* [rows[count]] where in gids the neighbours are; theirs ascend */
    void *context;
    pen_lid (*find)(void *context, pen_gid gid); /* Local. Which of the nodes here has that gid; -1: none */
    /* Collective. As pen_directory_resolve. */
    pen_status (*resolve)(void *context, pen_status mine, int64_t count, const pen_gid *gids, int32_t *owners);
} pen_input_nodes;
