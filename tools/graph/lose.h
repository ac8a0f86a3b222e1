/* lose.h - what a graph loses on its way into a format. All Local. */
#pragma once

#include "tools/graph/format.h"

/* What is in the graph and `holds` lacks, HOLDS_... bits. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_file_graph_losses(const file_graph *g, unsigned holds, unsigned *losses);

/* "node sizes, loops" for the bits; cut where it does not fit. */
void pen_losses_text(unsigned losses, char *text, size_t size);

/* Take from the graph what `holds` lacks: the second weight of a node and those behind it, sizes, labels, edge weights
 * where one is below 1, node weights where one is too small, loops, further occurrences, coordinates, a grid's size;
 * arcs become undirected edges. Isolated nodes and the order of neighbours are for the writer to leave out. Counts in
 * g->notes. PEN_ERR_MEMORY; PEN_ERR_INPUT where there would be no graph left. */
PEN_CHECKED pen_status pen_file_graph_lose(file_graph *g, unsigned holds, unsigned losses);
