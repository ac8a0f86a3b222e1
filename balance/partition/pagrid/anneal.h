/* anneal.h - simulated annealing of a small level's partition, by moves and swaps of vertices (Kirkpatrick, Gelatt and
 * Vecchi, Science 1983). */
#pragma once

#include "partition/pagrid/state.h"

typedef struct pagrid_cooling {
    int64_t trials;
    /* First and last temperature, as fractions of the longest time; temperatures fall geometrically. */
    double hot, cold;
    bool swaps_only; /* only swaps are tried, of any two vertices: each vertex is a whole part */
    uint64_t seed;
} pagrid_cooling;

/* Local. Set part[] to the visited partition whose longest time is least. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_pagrid_anneal(pagrid_state *state, const pagrid_cooling *cooling);
