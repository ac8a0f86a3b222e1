/* coordinates.h - coordinates of a graph's nodes, in files of their own. All Local. */
#pragma once

#include "base/scanner.h"
#include "tools/graph/file_graph.h"
#include "tools/graph/findings.h"

/* Read or write coordinates. `kind`: "chaco" (also .xyz without a header), "scotch", "dimacs" (.co, two dimensions) or
 * "matrix" (a dense Matrix Market file); NULL: by content. A Scotch file names nodes by the graph's labels, or without
 * labels by consecutive numbers. After a finding of severity error a node's coordinates are 0. PEN_ERR_MEMORY;
 * PEN_ERR_INPUT if nothing could be read, or (check) the kind is unknown; PEN_ERR_UNSUPPORTED if the written kind does
 * not hold so many dimensions; and errors of writing. */
PEN_CHECKED pen_status pen_coordinates_check(const char *kind);
PEN_CHECKED pen_status pen_coordinates_read(pen_scanner *in, const char *kind, file_graph *g, findings *f);
PEN_CHECKED pen_status pen_coordinates_write(const file_graph *g, const char *kind, const char *path);
