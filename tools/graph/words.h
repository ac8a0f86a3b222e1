/* words.h - reads a graph and reports its findings, for several subcommands. All Local. */
#pragma once

#include "tools/graph/coordinates.h"
#include "tools/graph/formats.h"
#include <penumbra_plugin.h>

/* Read a graph that must be sound; `format` NULL: by the path's ending. *g is the caller's to free whatever the
 * status. As pen_format_read, and PEN_ERR_INPUT with the first finding that is an error. */
PEN_CHECKED pen_status pen_words_read_graph(const char *path, const char *format, bool directed, file_graph *g);

/* Read a companion of a graph: coordinates into *g, whatever their kind, or a partition into (*part)[0 .. g->nodes-1],
 * which the caller frees whatever the status. As pen_coordinates_read and pen_mapping_read. */
PEN_CHECKED pen_status pen_words_read_coordinates(const char *path, file_graph *g, findings *f);
PEN_CHECKED pen_status pen_words_read_parts(const char *path, const file_graph *g, int32_t **part, int *parts,
                                            findings *f);

/* Free the findings of reading `path`, which ended with `status`. Returns `status`, or, if it is PEN_OK or
 * PEN_ERR_INPUT, that of the findings (pen_findings_status). */
PEN_CHECKED pen_status pen_words_report(findings *f, const char *path, pen_status status);

/* Whether a path is that of a machine, by its ending: .machine, the format of balance/view/machine.h, or Scotch's .tgt.
 */
bool pen_words_name_machine(const char *path);
