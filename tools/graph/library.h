/* library.h - between this tool's graphs and the library's, in one process. All Local.
 *
 * Arrays change hands and are not copied. */
#pragma once

#include "graph/graph.h"
#include "tools/graph/file_graph.h"

/* Move *g into a graph of the library, which validates it and sorts its rows. Its labels become gids where
 * `with_labels` and stay in *g otherwise; nodes and labels are all that *g has afterwards, also after a failure.
 * Errors: PEN_ERR_INPUT (no graph, or a negative label), PEN_ERR_UNSUPPORTED (2^31 nodes), PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_library_take(file_graph *g, bool with_labels, pen_graph **graph);

/* Move a graph of the library into *g, and destroy it. Gids become labels unless they are 0, 1, ...; the width and
 * height of a grid are lost. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_library_give(pen_graph **graph, file_graph *g);
