/* values.h - real weights of edges, for a graph with integer weights: as CSV with a line per arc, or as a NumPy array
 * in the order of the graph's rows; a run of the graph reads either as --input. All Local. */
#pragma once

#include "tools/graph/format.h"

/* Write CSV: source,target,value, a line for every arc, with the nodes' gids in a run: their labels, or indices. */
void pen_values_write_rows(writer *out, const file_graph *g, bool labels);

/* Write a NumPy array of doubles (f8) in one dimension: a value for every arc, by ascending nodes and neighbours, as a
 * run reads it. Edges of an undirected graph are in both rows. labels: the nodes' gids are their labels, which must
 * ascend (else PEN_ERR_UNSUPPORTED). PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_values_write_array(writer *out, const file_graph *g, bool labels);

/* Write a field of a CSV file, in quotes if needed. */
void pen_values_write_field(writer *out, const char *text);

/* Replace the weights by values * scale, rounded to the nearest integer, halves away from 0; the values are dropped.
 * *most: the largest change by rounding. PEN_ERR_INPUT if there are no weights, or one is beyond +-2^53, up to which
 * doubles hold all integers; PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_values_scale(const char *path, double scale, file_graph *g, double *most);

/* Copy the weights of a graph without values to its values. PEN_ERR_INPUT if it has no weights; PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_values_from_weights(const char *path, file_graph *g);
