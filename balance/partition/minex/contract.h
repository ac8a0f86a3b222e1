/* contract.h - contracts a graph: makes one with fewer vertices, each of which represents one or two. */
#pragma once

#include "partition/minex/minex.h"

typedef struct level {
    /* The level's graph. On the finest level the caller owns its arrays; otherwise the level does. */
    pen_minex_graph graph;
    double *data;  /* [count] data of each vertex if cost is PEN_MINEX_RANK, else NULL */
    int32_t *into; /* [count] corresponding vertices of the next level, or NULL */
} level;

/* Local. Make the next coarser level of `fine`, whose `into` is set. Vertices of one owner are paired if they share
 * much relative to their size, up to a weight of `heaviest`, in the order drawn from the seed. Errors: PEN_ERR_MEMORY;
 * the caller frees *coarse also then. */
PEN_CHECKED pen_status pen_minex_contract(level *fine, double heaviest, uint64_t seed, level *coarse);

/* Local. Free a level. The finest level owns only `data` and `into`. */
void pen_minex_level_free(level *level, bool finest);
