/* examine.h - finds errors of a graph that no single line of its file shows, and repairs them. All Local. */
#pragma once

#include "tools/graph/file_graph.h"
#include "tools/graph/format.h"

typedef struct graph_faults {
    /* Whether there are loops, repeated neighbours, and arcs without an equal reverse. */
    bool loops, duplicates, reverses;
} graph_faults;

/* Find faults in one pass. Reverses are compared as the library does (graph.h): two polynomials at one pseudo-random
 * point; a wrong graph passes with a chance of about 2^-60. Duplicates are exact. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_file_graph_faults(const file_graph *g, graph_faults *faults);

typedef struct row_entry {
    int64_t neighbor, index; /* `index` is that of the arc in its row */
} row_entry;

/* Copy row i into `entries` [degree], sorted by neighbour, then index. */
void pen_file_graph_sort_row(const file_graph *g, int64_t i, row_entry *entries);

int64_t pen_file_graph_longest_row(const file_graph *g);

/* Call `found` for the first arc of every pair of nodes without an arc back, with reverse -1; and for every pair whose
 * first arcs have different weights, with the arc of the lower node. Loops are left out; the order is unspecified.
 * Memory: one word per node, and pairs in blocks no larger than the adjacency. PEN_ERR_MEMORY, and any status of
 * `found`. */
typedef pen_status unmatched_fn(void *context, int64_t from, int64_t arc, int64_t reverse);
PEN_CHECKED pen_status pen_file_graph_unmatched(const file_graph *g, unmatched_fn *found, void *context);

/* Add a finding for every loop, every repeated neighbour, and, unless the graph is directed, every arc without a
 * reverse or with a reverse of another weight; also for sums of weights beyond 64 bits. `holds` (format.h): what the
 * file's format allows. Linear in time; a valid graph needs only a buffer for the longest row. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_file_graph_examine(const file_graph *g, unsigned holds, findings *f);

/* Repair these errors. Loops and repeated neighbours are removed; missing reverses are appended to the row. g->rule
 * chooses the weight of repeated neighbours, and of two directions; WEIGHT_FIRST takes that of the smaller row. Counts
 * in g->notes (loops, duplicates, conflicts, one_way). PEN_ERR_MEMORY; PEN_ERR_INPUT if a sum of weights has more than
 * 18 digits. */
PEN_CHECKED pen_status pen_file_graph_repair(file_graph *g, unsigned holds);
