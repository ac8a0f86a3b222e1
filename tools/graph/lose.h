/* lose.h - what a graph loses on its way into a format. All Local. */
#pragma once

#include "tools/graph/format.h"

/* HOLDS_... bits of the graph's contents that `holds` lacks. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_file_graph_losses(const file_graph *g, unsigned holds, unsigned *losses);

/* "node sizes, loops" for the bits; cut where it does not fit. */
void pen_losses_text(unsigned losses, char *text, size_t size);

/* Remove from the graph what `holds` lacks: further weights of a node, sizes, labels, edge weights if one is below 1,
 * node weights if one is too small, loops, repeated neighbours, coordinates, a grid's size; arcs become undirected
 * edges. The writer leaves out isolated nodes and the order of neighbours itself. Counts in g->notes. PEN_ERR_MEMORY;
 * PEN_ERR_INPUT if no graph would be left. */
PEN_CHECKED pen_status pen_file_graph_lose(file_graph *g, unsigned holds, unsigned losses);
