/* format_galois.h - the reader of Galois' binary graphs, which have the same ending as DIMACS-9. Local. */
#pragma once

#include "tools/graph/format.h"

PEN_CHECKED pen_status pen_galois_read(input *in, const format_options *options, file_graph *g, findings *f);
