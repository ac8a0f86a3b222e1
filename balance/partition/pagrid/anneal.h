/* anneal.h - simulated annealing of a small level's partition, by moves and swaps of vertices (Kirkpatrick, Gelatt and
 * Vecchi, Science 1983). */
#pragma once

#include "partition/pagrid/state.h"

typedef struct pagrid_cooling {
    int64_t trials;
    double hot, cold; /* temperatures, in parts of the longest time; they fall geometrically */
    bool swaps_only;  /* of any two vertices: of parts */
    uint64_t seed;
} pagrid_cooling;

/* Local. part[] becomes the partition with the least longest time among those visited. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_pagrid_anneal(pagrid_state *state, const pagrid_cooling *cooling);
