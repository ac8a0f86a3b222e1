/* gather.h - gathers the whole graph on rank 0, through peers, for sequential algorithms. Integers have 32 bits, as in
 * METIS and Scotch. */
#pragma once

#include "graph/graph.h"
#include <penumbra_plugin.h>

typedef struct pen_serial_graph {
    int32_t nodes;
    int32_t *rows;         /* [nodes+1] row pointers */
    int32_t *neighbors;    /* [rows[nodes]] rows of the neighbours; no loops, no duplicates */
    int32_t *edge_weights; /* [rows[nodes]] edge weights, or NULL: all 1 */
    int32_t *loads;        /* [nodes*phases] loads, node by node, or NULL: all equal */
    int phases;            /* number of phases in which nodes have separate loads (pen_load_view); 0 counts as 1 */
    int32_t *sizes;        /* [nodes] cost of sending each node, or NULL: all 1 */
} pen_serial_graph;

typedef struct pen_gathered {
    pen_serial_graph graph;
    double *loads;            /* [nodes*graph.phases] unscaled loads, or NULL */
    int32_t *owners;          /* [nodes] ranks that own the nodes, or NULL */
    int32_t *row_of;          /* [nodes] row of each node in rank order, or NULL: rows are in rank order */
    int64_t mine[2], most[2]; /* numbers of nodes and arcs, on every rank: its own, and the largest of any rank */
    int64_t *starts[2];       /* [ranks+1] positions in rank order where each rank's nodes and arcs begin */
    int ranks;
} pen_gathered;

/* Collective. Gather the graph in *g on rank 0, without loads and sizes; *g stays empty on other ranks.
 * pen_gathered_free frees it on all ranks, also after a failure. Rows are in rank order, neighbours as in the views;
 * with `sorted`, both are in ascending order of gids, for any distribution. Errors: PEN_ERR_UNSUPPORTED (nodes, arcs or
 * edge weights beyond 31 bits, on all ranks; `owner` begins the sentence), PEN_ERR_MEMORY, PEN_ERR_INTERNAL (neighbours
 * that are not mutual), and those of peers. */
PEN_CHECKED pen_status pen_gather(const pen_load_view *view, pen_peers *peers, const char *owner, bool sorted,
                                  pen_gathered *g);

/* Collective. Gather an undirected graph with dense gids; there are no owners. Errors: as pen_gather. */
PEN_CHECKED pen_status pen_gather_graph(const pen_graph *graph, pen_peers *peers, const char *owner, pen_gathered *g);

/* Collective. Gather the loads of the views in g->loads; they must add up to `sum` > 0. g->graph.loads become integers
 * >= 1 that add up to at most 2^30, with which the lightest nodes weigh too much by less than 2^-30 of the sum.
 * PEN_ERR_UNSUPPORTED (more than 2^29 nodes; `owner` begins the sentence), PEN_ERR_MEMORY, those of peers. */
PEN_CHECKED pen_status pen_gather_loads(const pen_load_view *view, pen_peers *peers, const char *owner, double sum,
                                        pen_gathered *g);

/* Collective. Gather the separate loads of the view's phases; the integers of every phase add up to at most 2^30.
 * Errors: as pen_gather_loads. */
PEN_CHECKED pen_status pen_gather_phase_loads(const pen_load_view *view, pen_peers *peers, const char *owner,
                                              pen_gathered *g);

/* Collective. Gather the data that rows read of their neighbours (view->reads, else the edge weights, else 1): *reads,
 * [rows[nodes]] in the order of the neighbours, on rank 0; the caller frees it. PEN_ERR_MEMORY, those of peers. */
PEN_CHECKED pen_status pen_gather_reads(const pen_load_view *view, pen_peers *peers, const pen_gathered *g,
                                        int64_t **reads);

/* Collective. Gather values of the ranks' nodes, mine[i]: *all, [nodes] by row, on rank 0; the caller frees it. Errors:
 * PEN_ERR_MEMORY, those of peers. */
PEN_CHECKED pen_status pen_gather_values(pen_peers *peers, const pen_gathered *g, const int32_t *mine, int32_t **all);

/* Collective. Send each rank rank 0's values for its nodes: part[row], [nodes], or NULL: none; other ranks pass NULL.
 * *mine, [count], is valid until the next exchange; NULL if none were sent. Errors: PEN_ERR_MEMORY, those of peers. */
PEN_CHECKED pen_status pen_gathered_scatter(pen_peers *peers, const pen_gathered *g, const int32_t *part,
                                            const int32_t **mine);

/* Collective. Rank 0 sends each rank r elements starts[r] .. starts[r + 1] - 1, [ranks+1], of an array (starts NULL:
 * element r). Other ranks pass NULL, as rank 0 may. `received` is as of an exchange. Errors: PEN_ERR_MEMORY, those of
 * peers. */
PEN_CHECKED pen_status pen_scatter(pen_peers *peers, const int64_t *starts, const void *array, size_t size,
                                   const pen_blocks **received);

/* Local. Frees the arrays and zeroes the structure. */
void pen_gathered_free(pen_gathered *g);

/* Local. Fail if one of the `count` sums, which have these names, exceeds 31 bits: PEN_ERR_UNSUPPORTED. */
PEN_CHECKED pen_status pen_check_32_bits(const char *owner, int count, const char *const *names, const double *sums);
