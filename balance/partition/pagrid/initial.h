/* initial.h - a first partition of the coarsest level. */
#pragma once

#include "partition/pagrid/state.h"

/* A range of processors, [low, high). */
typedef struct pagrid_range {
    int32_t low, high;
} pagrid_range;

/* Local. The faster half of several processors, after cutting their list. */
pagrid_range pen_pagrid_half(const pagrid_network *network, pagrid_range range);

/* Local. Make a first partition part[], [level->count]: bisect the graph and the list of these processors together, in
 * shares of their speeds (after Pellegrini's dual recursive bisection, SHPCC 1994), so that processors with
 * neighbouring numbers get neighbouring nodes; then swap whole parts. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_pagrid_initial(const pagrid_level *level, const pagrid_network *network, pagrid_range range,
                                          uint64_t seed, int32_t *part);
