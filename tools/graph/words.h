/* words.h - reads a graph and reports its findings, for several subcommands. All Local. */
#pragma once

#include "tools/graph/coordinates.h"
#include "tools/graph/formats.h"
#include <penumbra_plugin.h>

/* Read a graph; `format` NULL: by the path's ending. The caller frees *g, also after a failure. Errors: as
 * pen_format_read, and PEN_ERR_INPUT with the first finding that is an error. */
PEN_CHECKED pen_status pen_words_read_graph(const char *path, const char *format, const format_options *options,
                                            file_graph *g);

/* Print g->notes on standard error. */
void pen_words_tell_notes(const file_graph *g, const char *file);

/* Read coordinates into *g, or a partition into (*part)[0 .. g->nodes-1], which the caller frees, also after a failure;
 * files of any kind. Errors: as pen_coordinates_read and pen_mapping_read; if `f` is NULL, those of the findings. */
PEN_CHECKED pen_status pen_words_read_coordinates(const char *path, file_graph *g, findings *f);
PEN_CHECKED pen_status pen_words_read_parts(const char *path, const file_graph *g, int32_t **part, int *parts,
                                            findings *f);
