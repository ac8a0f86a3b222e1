/* formats.h - the table of file formats, and reading by a format. All Local. */
#pragma once

#include "tools/graph/format.h"

extern const graph_format *const pen_graph_formats[];
extern const int pen_graph_format_count;

/* These formats are in format_chaco.c. */
extern const graph_format pen_format_metis, pen_format_chaco, pen_format_dimacs10;
extern const graph_format pen_format_csv, pen_format_tsv;
extern const graph_format pen_format_scotch, pen_format_matrix_market, pen_format_penumbra;
/* These formats are in format_python.c. */
extern const graph_format pen_format_dimacs9, pen_format_pace, pen_format_col, pen_format_galois, pen_format_parhip,
    pen_format_snap, pen_format_mesh, pen_format_meshio, pen_format_graphml, pen_format_gexf;

/* Find the format called `name`, or if that is NULL the one of the path's ending. PEN_ERR_INPUT names the known
 * ones. */
PEN_CHECKED pen_status pen_format_find(const char *name, const char *path, const graph_format **format);

/* Print the table: names, endings, summaries. */
void pen_format_list(FILE *out);

/* Read and examine a graph (pen_file_graph_examine), and find the places of faults. The caller frees *g, also after a
 * failure. PEN_OK with findings of severity error: the text is repaired in *g, but loops, duplicates and missing
 * reverses are still in it (pen_file_graph_repair). */
PEN_CHECKED pen_status pen_format_read(const graph_format *format, const char *path, const format_options *options,
                                       file_graph *g, findings *f);

/* Whether a graph can be written to paths[0], and files beside it to the other paths, as in pen_writer_try; and write
 * it, after which *g can only be freed. PEN_ERR_UNSUPPORTED: not in this format; and errors of writing. */
PEN_CHECKED pen_status pen_format_may_write(const graph_format *format, const char *const *paths, int count);
PEN_CHECKED pen_status pen_format_write(const graph_format *format, file_graph *g, const char *path);
