/* grid.h - what partitioners that cut a grid by rows and columns have in common. */
#ifndef PEN_GRID_H
#define PEN_GRID_H

#include "base/options.h"
#include "graph/graph.h"
#include <penumbra_plugin.h>

/* gid = row * width + column. */
typedef struct pen_grid_shape {
    int64_t width, height;
} pen_grid_shape;

/* Local. The shape: from the settings width and height, of which one is enough, or as the graph was generated. A
 * partitioner has up to two settings of its `own` besides, own[2], if not NULL. PEN_ERR_INPUT (bad settings, or they do
 * not multiply to the graph's nodes), PEN_ERR_UNSUPPORTED (nothing says what the shape is; gids that are no places of a
 * grid, possibly on this rank only). `partitioner` begins the sentence. */
PEN_CHECKED pen_status pen_grid_read(const pen_graph *graph, const char *partitioner, char *settings,
                                     const pen_option *own, pen_grid_shape *grid);

/* Local. part[i] of each local node: its block of rows * columns blocks, numbered row by row. Bands of rows
 * differ by at most one row, and likewise columns; so some are empty where there are more than rows. With a machine
 * bands of rows are as wide as the speeds of their processors together, and within a band columns as those of single
 * ones, to the nearest. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_grid_blocks(const pen_graph *graph, const pen_grid_shape *grid, const pen_machine *machine,
                                       int64_t rows, int64_t columns, int32_t *part);

#endif
