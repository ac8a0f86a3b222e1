/* format_python.h - reading and writing by the Python package. All Local. */
#pragma once

#include "tools/graph/format.h"

/* Read or write a format of the Python package. `in` has the text; where it is NULL, Python opens the path `name`.
 * PEN_ERR_ENVIRONMENT names the package that is missing here. */
PEN_CHECKED pen_status pen_python_read(const graph_format *format, const char *name, pen_scanner *in,
                                       const format_options *options, file_graph *g, findings *found);
PEN_CHECKED pen_status pen_python_write(const graph_format *format, const file_graph *g, writer *out);
