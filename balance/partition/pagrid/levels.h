/* levels.h - PaGrid's form of the graph, and coarser graphs, whose vertices are groups of its vertices. */
#pragma once

#include "partition/pagrid/estimate.h"

/* An arc, with data in units of time on a link of cost 1. */
typedef struct pagrid_arc {
    int32_t to;
    int32_t reads; /* bits: 1 if the row's vertex reads the other one, 2 if that reads it */
    double out;    /* data that the row's vertex reads of the other one */
    double in;     /* data that the other vertex reads of the row's */
} pagrid_arc;

typedef struct pagrid_level {
    int32_t count;
    int64_t *rows;    /* [count+1] row pointers */
    pagrid_arc *arcs; /* [rows[count]] arcs, mutual, no loops, no duplicates */
    double *work;     /* [count] work of each vertex, in units of time on a processor of speed 1 */
    int32_t *map;     /* [count] corresponding vertices of the next coarser level, or NULL: there is none */
} pagrid_level;

typedef struct pagrid_levels {
    int count;
    pagrid_level *levels; /* [count] the levels, the finest first */
} pagrid_levels;

/* Local. Make the levels of a graph, until there are at most `enough` vertices or groups do not grow any more; vertices
 * of a group have equal start[], [graph->count], if that is not NULL. Call pen_pagrid_levels_free also after a failure.
 * Errors: PEN_ERR_ARGUMENT (neighbours that are not mutual or not ascending), PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_pagrid_levels_create(const pen_pagrid_graph *graph, pen_estimate_units units,
                                                const int32_t *start, int64_t enough, uint64_t seed,
                                                pagrid_levels *levels);
void pen_pagrid_levels_free(pagrid_levels *levels);

/* Local. Make the graph of groups: map[v] in [0, count), [fine->count]. Call pen_pagrid_level_free also after a
 * failure. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_pagrid_contract(const pagrid_level *fine, const int32_t *map, int32_t count,
                                           pagrid_level *coarse);
void pen_pagrid_level_free(pagrid_level *level);
