/* read_xml.h - the readers of GraphML and GEXF (format_xml.c), by Expat. All Local. */
#pragma once

#include "tools/graph/format.h"

PEN_CHECKED pen_status pen_graphml_read(input *in, const format_options *options, file_graph *g, findings *f);
PEN_CHECKED pen_status pen_gexf_read(input *in, const format_options *options, file_graph *g, findings *f);
