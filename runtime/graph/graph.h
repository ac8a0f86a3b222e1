/* graph.h - the distributed graph, for the boxes above this one.
 *
 * Every rank holds the rows of some nodes. Where the gids are dense (read from text or generated), each rank holds a
 * contiguous range in rank order, and gids are not stored. After validation the neighbours of a row are ascending. */
#pragma once

#include "base/comm.h"

struct pen_graph {
    pen_comm *comm;       /* the graph's duplicate of a communicator, owned */
    int64_t nodes, edges; /* counts of the whole graph; an edge counts once, but in a directed graph each arc does */
    bool directed;
    bool dense;            /* gids are 0..nodes-1, and each rank has a contiguous range, in rank order */
    pen_lid count;         /* number of nodes on this rank */
    pen_gid first;         /* if dense: gid of the first node on this rank */
    pen_gid *gids;         /* [count] gids of the nodes, NULL if dense */
    int64_t *rows;         /* [count+1] CSR row pointers */
    pen_gid *neighbors;    /* [rows[count]] gids of the neighbours, ascending within a row, each once, no loops */
    int weight_count;      /* number of weights per node in the file, >= 0, equal on all ranks */
    int load_weight;       /* index of the weight that is the load */
    int64_t *node_weights; /* [count*weight_count] weights, NULL if weight_count is 0 on all ranks */
    int64_t *node_sizes;   /* [count] METIS vertex sizes, or NULL on all ranks */
    int64_t *edge_weights; /* [rows[count]], or NULL on all ranks */
    pen_grid grid;         /* kind of the grid; PEN_GRID_NONE: no grid, or unknown */
    /* Sizes of the grid, in which gid = (layer * height + row) * width + column; depth is 1 in two dimensions; all 0:
     * no grid. */
    int64_t width, height, depth;
    int dimensions;      /* dimensions of the coordinates, 1 to 3; 0: the graph has none */
    double *coordinates; /* [count*dimensions] coordinates, node by node, NULL if dimensions is 0 */
    char *origin;        /* the file, or the generator and its settings; NULL: unknown */
};

static inline pen_gid pen_graph_gid(const pen_graph *graph, pen_lid i)
{
    return graph->gids ? graph->gids[i] : graph->first + i;
}

/* The load of node i: 1 where the graph has no node weights. */
static inline int64_t pen_graph_load(const pen_graph *graph, pen_lid i)
{
    return graph->node_weights ? graph->node_weights[(int64_t)i * graph->weight_count + graph->load_weight] : 1;
}

/* Local. A checksum of this rank's nodes: gid, load, neighbours, edge weights and coordinates. The sum over the
 * ranks (modulo 2^64) is the same for all distributions of a graph. */
uint64_t pen_graph_sum(const pen_graph *graph);

/* Local. The pen_world of a graph for .setup, without steps. */
static inline pen_world pen_graph_world(const pen_graph *graph)
{
    return (pen_world){ .nodes = graph->nodes,
                        .width = graph->width,
                        .height = graph->height,
                        .ranks = graph->comm->size,
                        .grid = graph->grid,
                        .depth = graph->depth };
}

/* Local. The dimensions of a grid; 0: this is not a grid. */
static inline int pen_grid_dimensions(const pen_world *grid)
{
    if (grid->width == 0) return 0;
    return grid->depth > 1 ? 3 : 2;
}

/* Local. The place of a node of a grid: column, row and layer; for hexagons the centre, so that the distance of
 * neighbours is 1. */
void pen_grid_place(const pen_world *grid, pen_gid gid, double at[3]);

/* Local. Divide n things into blocks of nearly equal length: the beginning of a rank's block (of rank `size`: n),
 * and the rank of the i-th thing. */
int64_t pen_block_begin(int64_t n, int size, int64_t rank);
int pen_block_rank(int64_t n, int size, int64_t i);

/* Collective. Whether all ranks read the same file with the same options. PEN_ERR_ARGUMENT. */
PEN_CHECKED pen_status pen_graph_read_equal(pen_comm *comm, const char *path, const pen_read_options *options);

/* Collective. A zeroed graph on its own duplicate of `comm`. */
PEN_CHECKED pen_status pen_graph_new(MPI_Comm comm, pen_graph **graph);

/* Collective, with a status that is equal on all ranks. Hand over a graph, or destroy it after a failure. */
PEN_CHECKED pen_status pen_graph_finish(pen_graph *made, pen_status status, pen_graph **graph);

/* Collective, for a graph with so many nodes that is not validated yet and has gids and at most one weight per node. If
 * the gids are 0..nodes-1, each rank gets a contiguous range of them, in rank order, with the rows in that order;
 * otherwise nothing is done. PEN_ERR_INPUT: a gid is missing, or occurs twice; PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_graph_reorder(pen_graph *graph, int64_t nodes);

/* Collective. Set nodes, first and dense, by this rank's gids [count]. PEN_ERR_ARGUMENT: there are no nodes;
 * PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_graph_count(pen_graph *graph, pen_lid count, const pen_gid *gids);

/* Local. Whether a graph can be written under that name. Names of compressed files are refused. PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_graph_check_path(const char *path);

/* Local. Note the origin of the graph. If memory is exhausted, the origin stays unknown. */
void pen_graph_came_from(pen_graph *graph, const char *format, ...) PEN_PRINTF(2, 3);
