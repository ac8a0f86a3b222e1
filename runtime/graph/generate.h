/* generate.h - the common parts of generators. A generator is a function declared here and one line of the table in
 * generators.c.
 *
 * Generated graphs are not validated. The file of each generator says why its result is a graph, and the tests
 * validate it. */
#pragma once

#include "base/sparse.h"
#include "graph/graph.h"

/* Collective. Make this rank's rows of the graph for `settings` (the text after "KIND:"), with coordinates if the
 * settings ask for them. The function may change `settings`. Bad settings are PEN_ERR_INPUT or PEN_ERR_ARGUMENT on
 * all ranks; any other status may differ between ranks. The caller agrees on it; until then no rank may wait for a
 * failed one. */
typedef pen_status pen_generator_fn(pen_graph *g, char *settings);

pen_generator_fn pen_generate_hex, pen_generate_mesh, pen_generate_torus, pen_generate_tree;
pen_generator_fn pen_generate_random, pen_generate_rmat, pen_generate_geometric;

/* Local. Cut "AxB" or "AxBxC" (as `least` and `most` dimensions allow) from the beginning of *settings; missing
 * sizes become 1. Sizes are at least 1, their product is at most 2^62. */
PEN_CHECKED pen_status pen_generate_sizes(const char *kind, char **settings, int least, int most, int64_t sizes[3],
                                          int *dimensions);

/* Local. Give this rank its block of `nodes`: sets all members except edges and neighbors, and of rows the first entry
 * only. */
PEN_CHECKED pen_status pen_generate_block(pen_graph *g, int64_t nodes);

/* Collective. Agree on `status` and count the edges. Return the graph in *graph, or destroy it after a failure. */
PEN_CHECKED pen_status pen_generate_finish(pen_graph *g, pen_status status, pen_graph **graph);
