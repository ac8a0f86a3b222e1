/* values.h - the weights of edges as real numbers, beside a graph whose weights are integers: in CSV, an arc a line as
 * the file that was read has them, or as NumPy's array in the order of the graph's rows. All Local. */
#ifndef PEN_VALUES_H
#define PEN_VALUES_H

#include "tools/graph/format.h"

/* Which of both, by a path's ending. PEN_ERR_INPUT where it is neither. */
PEN_CHECKED pen_status pen_values_kind(const char *path, bool *csv);

/* The header of the CSV file, and a line for every arc; `out` NULL: nothing is written. */
void pen_values_write_header(writer *out);
void pen_values_write_arc(writer *out, int64_t from, int64_t to, double value);
void pen_values_write_named_arc(writer *out, const char *from, const char *to, double value);

/* A line for every arc of the graph, for formats that have rows. */
void pen_values_write_rows(writer *out, const file_graph *g);

/* NumPy's array of doubles (f8) in one dimension: a value for every arc, row by row, within a row as `holds` orders
 * neighbours (HOLDS_ORDER: as they are; else ascending). Edges of an undirected graph are in both rows.
 * PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_values_write_array(writer *out, const file_graph *g, unsigned holds);

/* A field of a CSV file, in quotes where it needs them. */
void pen_values_write_field(writer *out, const char *text);

/* Give a graph that has none the values of its weights. PEN_ERR_INPUT where it has no weights; PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_values_from_weights(const char *path, file_graph *g);

#endif
