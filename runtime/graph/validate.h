/* validate.h - checks everything that a graph must satisfy, from any source. */
#pragma once

#include "graph/graph.h"

/* A function that writes the origin of a row of this rank, "file:line", for messages. */
typedef void pen_row_name_fn(const void *context, pen_lid row, char *text, size_t size);

/* Collective. Check range, loops, duplicates, weights, coordinates, and (unless directed) that every arc has its
 * reverse with the same weight; sort each row ascending, with its weights. The caller has set `nodes`, `dense` and, if
 * dense, `first`; only `edges` is set here. Gids that are not dense are checked to be distinct over all ranks, and
 * neighbours to exist.
 *
 * Findings are named by name(context, row), which counts nodes from 1 as in files; NULL: by gids. `mine` is this rank's
 * status so far; its failure comes after the rows that it has. Errors: PEN_ERR_INPUT, of the lowest row of the lowest
 * rank that found one. Errors within a row come first, then `mine`, then errors between two rows; so for dense graphs
 * the result does not depend on the number of ranks.
 *
 * The test of symmetry needs no exchange. Arcs to higher gids and arcs to lower gids are the same multiset of pairs if
 * and only if two polynomials with one unknown per node are identical. This is tested at one pseudo-random point modulo
 * 2^64 (Schwartz, JACM 27(4), 1980); a wrong graph passes with a probability of about 2^-60. Only if the values differ,
 * arcs are sent to a rank chosen by a hash of their pair, to find the first error. */
PEN_CHECKED pen_status pen_graph_validate(pen_graph *graph, pen_status mine, pen_row_name_fn *name,
                                          const void *context);

/* Local. The sum of [count] weights >= 0; 10^18 if it is more. */
int64_t pen_weights_sum(const int64_t *weights, int64_t count);

/* Collective. Each rank passes its sums. Check that those over all ranks are below 10^18, since loads and cuts are
 * summed in 64 bits. PEN_ERR_INPUT, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_weights_check(pen_comm *comm, int64_t nodes, int64_t edges);
