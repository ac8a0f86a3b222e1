/* values.h - real weights of edges, for a graph with integer weights: as CSV, an arc a line, or as a NumPy array in the
 * order of the graph's rows; a run of the graph reads either as --input. All Local. */
#pragma once

#include "tools/graph/format.h"

/* Which of both, by a path's ending. PEN_ERR_INPUT where it is neither. */
PEN_CHECKED pen_status pen_values_kind(const char *path, bool *csv);

/* CSV: source,target,value, a line for every arc, with the gids that a run of the graph gives its nodes: their labels,
 * or places in the graph. */
void pen_values_write_rows(writer *out, const file_graph *g, bool labels);

/* NumPy's array of doubles (f8) in one dimension: a value for every arc, by ascending nodes and neighbours as a run
 * reads it, in whatever order the file of the graph has them. Edges of an undirected graph are in both rows. labels:
 * the nodes' gids are their labels; these must ascend (else PEN_ERR_UNSUPPORTED). PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_values_write_array(writer *out, const file_graph *g, bool labels);

/* A field of a CSV file, in quotes where it needs them. */
void pen_values_write_field(writer *out, const char *text);

/* Replace the weights by values * scale, rounded to the nearest integer, halves away from 0; the values are gone then.
 * *most: by how much the rounding changed one at most. PEN_ERR_INPUT where there are no weights, or one is beyond
 * +-2^53, up to which reals have all integers; PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_values_scale(const char *path, double scale, file_graph *g, double *most);

/* Give a graph that has none the values of its weights. PEN_ERR_INPUT where it has no weights; PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_values_from_weights(const char *path, file_graph *g);
