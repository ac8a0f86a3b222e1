/* contract.h - a graph with fewer vertices, each of which represents one or two. */
#pragma once

#include "partition/minex/minex.h"

typedef struct level {
    pen_minex_graph graph; /* at the finest level the caller's; otherwise the level owns the arrays */
    double *data;          /* [count] where cost is PEN_MINEX_RANK, else NULL */
    int32_t *into;         /* [count] vertices of the next level, or NULL */
} level;

/* Local. The next coarser level of `fine`, whose `into` is set. Vertices of one owner are paired if they share much
 * relative to their size, up to a weight of `heaviest`, in the order drawn from the seed. Errors: PEN_ERR_MEMORY; the
 * caller frees *coarse all the same. */
PEN_CHECKED pen_status pen_minex_contract(level *fine, double heaviest, uint64_t seed, level *coarse);

/* Local. The finest level has only `data` and `into` of its own. */
void pen_minex_level_free(level *level, bool finest);
