/* draw_values.h - pen-graph draw --values: a graph whose nodes are coloured by values, in one picture, in one that
 * moves, or in a series of them. All Local. */
#ifndef PEN_DRAW_VALUES_H
#define PEN_DRAW_VALUES_H

#include "tools/graph/file_graph.h"
#include "tools/graph/picture_graph.h"

/* Draw `drawn`, which is `g`; `values`: "FILE|FOLDER[:COLUMN]" (node_values.h); `range`: "LOW:HIGH", NULL: that of all
 * values. Of several files one .svg shows all, and where `picture` has "{frame}" there is one for each, with its number
 * from 0000 on there. All files are read and found to be sound before one is written. PEN_ERR_INPUT, PEN_ERR_IO, and
 * as pen_picture_draw. */
PEN_CHECKED pen_status pen_draw_values(const file_graph *g, const picture_graph *drawn, const picture_options *options,
                                       const char *values, const char *range, const char *picture);

#endif
