/* grid.h - common parts of partitioners that cut a grid by rows and columns. */
#pragma once

#include "graph/graph.h"
#include <penumbra_plugin.h>

#include <math.h>

/* Sizes of a grid, in which gid = row * width + column. In settings, -1 means not given. */
typedef struct pen_grid_shape {
    int64_t width, height;
} pen_grid_shape;

/* Two entries of a table, for a structure of settings that begins with a pen_grid_shape. */
#define PEN_GRID_SETTINGS                                                                        \
    { "width",                                                                                   \
      "N",                                                                                       \
      NULL,                                                                                      \
      "if the graph was not generated as a grid; one of the two is enough",                      \
      PEN_OPTION_INT,                                                                            \
      offsetof(pen_grid_shape, width),                                                           \
      1,                                                                                         \
      HUGE_VAL },                                                                                \
    {                                                                                            \
        "height", "N", NULL, NULL, PEN_OPTION_INT, offsetof(pen_grid_shape, height), 1, HUGE_VAL \
    }

/* Local. Find the shape: `given` by settings, or that of the generated graph. PEN_ERR_INPUT (the given sizes do not
 * multiply to the graph's nodes), PEN_ERR_UNSUPPORTED (the shape is unknown; gids are not places of a grid, possibly on
 * this rank only). `partitioner` begins the sentence. */
PEN_CHECKED pen_status pen_grid_find(const pen_graph *graph, const char *partitioner, const pen_grid_shape *given,
                                     pen_grid_shape *grid);

/* Local. Set part[i] of each local node: its block of rows * columns blocks, numbered row by row. The heights of bands
 * of rows differ by at most one row, and likewise columns; so some are empty if there are more bands than rows. With a
 * machine the height of a band is proportional to the speeds of its processors, and the width of a block within it to
 * the speed of its processor, rounded. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_grid_blocks(const pen_graph *graph, const pen_grid_shape *grid, const pen_machine *machine,
                                       int64_t rows, int64_t columns, int32_t *part);
