/* graph.h - the distributed graph, as the boxes above see it.
 *
 * Every rank holds the rows of some nodes. Where the gids are dense (read from text or generated),
 * each rank holds a contiguous range in rank order, and gids are not stored. After validation the
 * neighbours of a row are ascending. */
#ifndef PEN_GRAPH_H
#define PEN_GRAPH_H

#include "base/comm.h"

struct pen_graph {
    pen_comm *comm;       /* owned */
    int64_t nodes, edges; /* of the whole graph; edges once, or arcs where directed */
    bool directed;
    bool dense;            /* gids are 0..nodes-1 and each rank has a contiguous range, in rank order */
    pen_lid count;         /* nodes here */
    pen_gid first;         /* dense: gid of the first node here */
    pen_gid *gids;         /* [count], NULL where dense */
    int64_t *rows;         /* [count+1] */
    pen_gid *neighbors;    /* [rows[count]] ascending within a row, each once, no loops */
    int weight_count;      /* weights per node in the file: 0 or more, equal on all ranks */
    int load_weight;       /* which of them is the load */
    int64_t *node_weights; /* [count*weight_count], NULL where weight_count is 0 on all ranks */
    int64_t *node_sizes;   /* [count] METIS vertex sizes, or NULL on all ranks */
    int64_t *edge_weights; /* [rows[count]], or NULL on all ranks */
    int64_t width, height; /* of a grid of two dimensions (gid = row * width + column), else 0 */
    int dimensions;        /* of the coordinates, 1 to 3; 0: there are none */
    double *coordinates;   /* [count*dimensions] node by node, NULL where dimensions is 0 */
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

/* Local. Blocks of n things of nearly equal length: where a rank's begins (of rank `size`: n), and in
 * whose the i-th is. */
int64_t pen_block_begin(int64_t n, int size, int64_t rank);
int pen_block_rank(int64_t n, int size, int64_t i);

/* Where row `row` of this rank came from, for messages: sets the text "file:line". */
typedef void pen_row_name_fn(const void *context, pen_lid row, char *text, size_t size);

/* Collective. Check range, loops, duplicates, weights, coordinates, and (unless directed) that every arc has its
 * reverse with the same weight; sort each row ascending (weights along). `nodes`, `dense` and, where
 * dense, `first` are set by the caller; sets `edges` and nothing else. Gids that are not dense are
 * checked to be distinct over all ranks, and neighbours to exist.
 *
 * Findings are named by name(context, row), with nodes numbered from 1 as in files; NULL: by gids.
 * `mine` is this rank's status so far: a failure of this rank that lies behind the rows that it has.
 * Errors: PEN_ERR_INPUT, of the lowest row of the lowest rank that found one. What a row shows by
 * itself is looked for first, then `mine`, then what takes two rows; so for dense graphs the answer
 * does not depend on the number of ranks.
 *
 * Symmetry costs no exchange: arcs to higher and to lower gids are the same multiset of pairs exactly
 * if two polynomials in one unknown per node are identical, which is tested at one pseudo-random point
 * modulo 2^64 (Schwartz, JACM 27(4), 1980); a wrong graph passes with a chance of about 2^-60. Only
 * where they differ, arcs meet at a hash home of their pair, and the first finding is looked for. */
PEN_CHECKED pen_status pen_graph_validate(pen_graph *graph, pen_status mine, pen_row_name_fn *name,
                                          const void *context);

/* Local. Print the table of `--list-generators`: kinds, settings, summaries. */
void pen_generate_list(FILE *out);

/* Collective. A zeroed graph on its own duplicate of `comm`. */
PEN_CHECKED pen_status pen_graph_new(MPI_Comm comm, pen_graph **graph);

#endif
