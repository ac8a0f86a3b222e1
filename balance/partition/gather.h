/* gather.h - the whole graph on rank 0, through peers, for algorithms that are sequential. Integers are
 * of 32 bits, as METIS and Scotch have them. */
#pragma once

#include "graph/graph.h"
#include <penumbra_plugin.h>

typedef struct pen_serial_graph {
    int32_t nodes;
    int32_t *rows;         /* [nodes+1] */
    int32_t *neighbors;    /* [rows[nodes]] row numbers; no loops, no duplicates */
    int32_t *edge_weights; /* [rows[nodes]], or NULL: all 1 */
    int32_t *loads;        /* [nodes*phases] node by node, or NULL: all equal */
    int phases;            /* that nodes have loads in (pen_load_view); 0 counts as 1 */
    int32_t *sizes;        /* [nodes] what a node costs to send, or NULL: all 1 */
} pen_serial_graph;

typedef struct pen_gathered {
    pen_serial_graph graph;
    double *loads;            /* [nodes*graph.phases] the same, or NULL */
    int32_t *owners;          /* [nodes] ranks, or NULL */
    int32_t *row_of;          /* [nodes] row of a node by its place in rank order, or NULL: the same */
    int64_t mine[2], most[2]; /* on every rank, nodes and arcs: its own, and the most of a rank */
    int64_t *starts[2];       /* [ranks+1] where a rank's nodes and arcs begin in rank order */
    int ranks;
} pen_gathered;

/* Collective. *g gets the graph on rank 0, without loads and sizes, and stays empty elsewhere; pen_gathered_free frees
 * it on all ranks, also after a failure. Rows are in rank order, neighbours as in the views; or, where gids are to be
 * `sorted`, both are in ascending order of gids, wherever nodes live. Errors: PEN_ERR_UNSUPPORTED (nodes, arcs or edge
 * weights beyond 31 bits, on all ranks; `owner` begins the sentence), PEN_ERR_MEMORY, PEN_ERR_INTERNAL (neighbours that
 * are not mutual), and those of peers. */
PEN_CHECKED pen_status pen_gather(const pen_load_view *view, pen_peers *peers, const char *owner, bool sorted,
                                  pen_gathered *g);

/* Collective. The same of a graph whose gids are dense and that is not directed; there are no owners. */
PEN_CHECKED pen_status pen_gather_graph(const pen_graph *graph, pen_peers *peers, const char *owner, pen_gathered *g);

/* Collective. g->loads become those of the views, which add up to `sum` > 0, and g->graph.loads integers >= 1 that add
 * up to at most 2^30, where the lightest weigh too much by less than 2^-30 of the whole. PEN_ERR_UNSUPPORTED (more than
 * 2^29 nodes; `owner` begins the sentence), PEN_ERR_MEMORY, those of peers. */
PEN_CHECKED pen_status pen_gather_loads(const pen_load_view *view, pen_peers *peers, const char *owner, double sum,
                                        pen_gathered *g);

/* Collective. The same for the loads of the view's phases, which are told apart: integers of every phase add up to at
 * most 2^30. */
PEN_CHECKED pen_status pen_gather_phase_loads(const pen_load_view *view, pen_peers *peers, const char *owner,
                                              pen_gathered *g);

/* Collective. *reads, [rows[nodes]] in the order of the neighbours, gets on rank 0 what rows read of them (view->reads,
 * else the edge weights, else 1); the caller frees it. PEN_ERR_MEMORY, those of peers. */
PEN_CHECKED pen_status pen_gather_reads(const pen_load_view *view, pen_peers *peers, const pen_gathered *g,
                                        int64_t **reads);

/* Collective. *all, [nodes] by row, gets on rank 0 what ranks have of their nodes, mine[i]; the caller frees it.
 * Errors: PEN_ERR_MEMORY, those of peers. */
PEN_CHECKED pen_status pen_gather_values(pen_peers *peers, const pen_gathered *g, const int32_t *mine, int32_t **all);

/* Collective. Each rank gets what rank 0 has for its nodes: part[row], [nodes], or NULL: for none; other ranks pass
 * NULL. *mine, [count], is valid until the next exchange; NULL where nothing came. Errors:
 * PEN_ERR_MEMORY, those of peers. */
PEN_CHECKED pen_status pen_gathered_scatter(pen_peers *peers, const pen_gathered *g, const int32_t *part,
                                            const int32_t **mine);

/* Collective. Rank 0 sends each rank r elements starts[r] .. starts[r + 1] - 1 of an array, [ranks+1] (NULL: r alone),
 * other ranks pass NULL, as rank 0 may; `received` as of an exchange. Errors: PEN_ERR_MEMORY, those of peers. */
PEN_CHECKED pen_status pen_scatter(pen_peers *peers, const int64_t *starts, const void *array, size_t size,
                                   const pen_blocks **received);

/* Local. Frees the arrays and zeroes the structure. */
void pen_gathered_free(pen_gathered *g);

/* Local. PEN_ERR_UNSUPPORTED with a sentence if one of the `count` sums, with these names, exceeds 31 bits. */
PEN_CHECKED pen_status pen_check_32_bits(const char *owner, int count, const char *const *names, const double *sums);
