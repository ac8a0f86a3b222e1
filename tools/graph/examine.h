/* examine.h - what is wrong with a graph that no single line of its file shows, and how it is mended. All Local. */
#pragma once

#include "tools/graph/file_graph.h"
#include "tools/graph/format.h"

/* What examination and repair of a serial graph share. */

typedef struct graph_faults {
    bool loops, duplicates, reverses; /* there are loops, further occurrences, arcs without an equal reverse */
} graph_faults;

/* One pass. Reverses are compared as the library does (graph.h): two polynomials at one pseudo-random point; a wrong
 * graph passes with a chance of about 2^-60. Duplicates are exact. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_file_graph_faults(const file_graph *g, graph_faults *faults);

typedef struct row_entry {
    int64_t neighbor, index; /* index: of the arc in its row */
} row_entry;

/* Sorts a copy of row i by neighbour, then index, into `entries` [degree]. */
void pen_file_graph_sort_row(const file_graph *g, int64_t i, row_entry *entries);

int64_t pen_file_graph_longest_row(const file_graph *g);

/* Calls `found` for the first arc (from, to) of every pair that has no arc back, with reverse -1, and for those whose
 * first arc back has another weight, once, with the arc of the lower node. Ordered by hash of the pair in blocks;
 * within the arrays' order in no particular one. Loops are left out. One word per node, and pairs in blocks of no
 * more memory than the adjacency. PEN_ERR_MEMORY, and what `found` returns. */
typedef pen_status unmatched_fn(void *context, int64_t from, int64_t arc, int64_t reverse);
PEN_CHECKED pen_status pen_file_graph_unmatched(const file_graph *g, unmatched_fn *found, void *context);

/* Add a finding for every loop, every further occurrence of a neighbour, and, unless the graph is directed, every
 * arc that has no reverse or one of another weight; also for sums of weights that 64 bits do not hold. `holds`
 * (format.h) tells what the file's format allows. Linear in time; a sound graph takes no memory but a buffer for
 * the longest row. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_file_graph_examine(const file_graph *g, unsigned holds, findings *f);

/* Mend all of that: loops and further occurrences go, missing reverses are added behind the row's others, of two
 * weights the smaller row's holds, or the one that g->rule says. Counts in g->notes (loops, duplicates, conflicts,
 * one_way). PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_file_graph_repair(file_graph *g, unsigned holds);
