/* coordinates.h - coordinates of a graph's nodes, in files of their own. All Local. */
#pragma once

#include "tools/common/writer.h"
#include "tools/graph/file_graph.h"
#include "tools/graph/findings.h"
#include "tools/graph/input.h"

/* `kind`: "chaco" (also .xyz without a header), "scotch", "dimacs" (.co, two
 * dimensions) or "matrix" (a dense Matrix Market file); NULL by content. The graph's labels are the Scotch file's;
 * without labels its numbers from the smallest one on. Findings of severity error leave coordinates of 0. PEN_ERR_INPUT
 * where nothing sensible could be read, PEN_ERR_MEMORY; pen_coordinates_check: PEN_ERR_INPUT for any other kind; on
 * writing, PEN_ERR_UNSUPPORTED where the kind does not hold so many dimensions. */
PEN_CHECKED pen_status pen_coordinates_check(const char *kind);
PEN_CHECKED pen_status pen_coordinates_read(input *in, const char *kind, file_graph *g, findings *f);
PEN_CHECKED pen_status pen_coordinates_write(const file_graph *g, const char *kind, writer *out);
