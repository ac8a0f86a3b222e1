/* examine.h - what is wrong with a graph that no single line of its file shows, and how it is mended. All Local. */
#ifndef PEN_EXAMINE_H
#define PEN_EXAMINE_H

#include "tools/graph/format.h"

/* Add a finding for every loop, every further occurrence of a neighbour, and, unless the graph is directed, every
 * arc that has no reverse or one of another weight; also for sums of weights that 64 bits do not hold. `holds`
 * (format.h) tells what the file's format allows. Linear in time; a sound graph takes no memory but a buffer for
 * the longest row. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_file_graph_examine(const file_graph *g, unsigned holds, findings *f);

/* Mend all of that: loops and further occurrences go, missing reverses are added behind the row's others, of two
 * weights the smaller row's holds, or the one that g->rule says. Counts in g->notes (loops, duplicates, conflicts,
 * one_way). PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_file_graph_repair(file_graph *g, unsigned holds);

#endif
