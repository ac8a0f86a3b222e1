/* library.h - moves graphs between this tool and the library, in one process; arrays are not copied. All Local. */
#pragma once

#include "graph/graph.h"
#include "tools/graph/file_graph.h"

/* Whether the labels, if there are any, can become gids. `path`, the graph's file, begins the message. PEN_ERR_INPUT.
 */
PEN_CHECKED pen_status pen_library_check_labels(const file_graph *g, const char *path);

/* Move *g into a graph of the library, which validates it and sorts its rows. With `with_labels` the labels, which are
 * not negative, become gids. *g keeps the number of nodes, names, values and otherwise the labels, also after a
 * failure. PEN_ERR_INPUT (an invalid graph), PEN_ERR_UNSUPPORTED (2^31 nodes), PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_library_take(file_graph *g, bool with_labels, pen_graph **graph);

/* Move a graph of the library into *g, which keeps its rule, and destroy it. Gids become labels unless they are 0, 1,
 * ... PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_library_give(pen_graph **graph, file_graph *g);
