/* validate.h - checks everything that a graph must satisfy, from any source. */
#pragma once

#include "graph/graph.h"

/* Sets the text "file:line", the origin of row `row` of this rank, for messages. */
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
