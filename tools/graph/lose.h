/* lose.h - finds and drops the properties of a graph that a format cannot hold. All Local. */
#pragma once

#include "tools/graph/format.h"

/* Find the HOLDS_... bits of the graph's properties that `holds` lacks. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_file_graph_losses(const file_graph *g, unsigned holds, unsigned *losses);

/* Describe the bits as text, "node sizes, loops", cut to `size`. */
void pen_losses_text(unsigned losses, char *text, size_t size);

/* Drop the properties `losses`, which a format with `holds` lacks; arcs become undirected edges, edge or node weights
 * are dropped if one is too small. Isolated nodes and the order of neighbours are left to the writer. Counts in
 * g->notes. PEN_ERR_MEMORY; PEN_ERR_INPUT if no graph would be left. */
PEN_CHECKED pen_status pen_file_graph_lose(file_graph *g, unsigned holds, unsigned losses);
