/* contract.h - a graph with fewer vertices, each of which stands for one or two. */
#pragma once

#include "partition/minex/minex.h"

typedef struct level {
    pen_minex_graph graph; /* of the finest level the caller's, else the arrays are the level's own */
    double *data;          /* [count] where cost is PEN_MINEX_RANK, else NULL */
    int32_t *into;         /* [count] vertices of the next level, or NULL */
} level;

/* Local. The next coarser level of `fine`, whose `into` is set. Vertices of one owner are paired that share much for
 * their size, up to a weight of `heaviest`, in the order drawn from the seed. Errors: PEN_ERR_MEMORY, with *coarse to
 * be freed all the same. */
PEN_CHECKED pen_status pen_minex_contract(level *fine, double heaviest, uint64_t seed, level *coarse);

/* Local. The finest level has only `data` and `into` of its own. */
void pen_minex_level_free(level *level, bool finest);
