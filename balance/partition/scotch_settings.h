/* scotch_settings.h - common settings of the partitioners scotch and ptscotch, and the balancer scotch. `owner` is one
 * of them, "partitioner scotch", and begins messages. */
#pragma once

#include "partition/architecture.h"
#include <penumbra_plugin.h>

enum { PEN_SCOTCH_DEFAULT, PEN_SCOTCH_QUALITY }; /* the first two strategies by number; more have names only */

typedef struct pen_scotch_settings {
    int64_t seed;
    double imbalance; /* allowed imbalance, as a fraction of the mean load */
    int64_t strategy; /* index of the strategy's name in the list below */
    const char *arch; /* architecture, for the partitioner scotch; NULL: none */
    bool remap;       /* whether to remap, for the balancer scotch */
} pen_scotch_settings;

/* Entries of a table: the common settings. */
#define PEN_SCOTCH_SETTINGS                                                                                  \
    { "seed", "N", "1", NULL, PEN_OPTION_INT, offsetof(pen_scotch_settings, seed), 0, INT32_MAX },           \
        { "imbalance", "R", "0.01", NULL, PEN_OPTION_REAL, offsetof(pen_scotch_settings, imbalance), 0, 1 }, \
    {                                                                                                        \
        "strategy", "default|quality|speed|balance|safety|recursive", "default", NULL, PEN_OPTION_WORD,      \
            offsetof(pen_scotch_settings, strategy), 0, 0                                                    \
    }

/* Local. The constant SCOTCH_STRAT... of the chosen strategy. */
SCOTCH_Num pen_scotch_strategy(const pen_scotch_settings *settings);

/* Local. Scale loads, since Scotch refuses loads below 1. If some are 0, all loads are multiplied by `*scale`, and the
 * zeros become 1, so that together they weigh at most a hundredth of the whole, if 32 bits allow that. `total` is the
 * sum of the loads, `zeros` the number of zeros. PEN_ERR_UNSUPPORTED if the loads do not fit. */
PEN_CHECKED pen_status pen_scotch_scale(const char *owner, int64_t total, int64_t zeros, int64_t *scale);

static inline SCOTCH_Num pen_scotch_load(int64_t load, int64_t scale)
{
    return load > 0 ? (SCOTCH_Num)(load * scale) : 1;
}

/* Local. Open a context for Scotch: one thread, deterministic, with its own random numbers; SCOTCH_contextExit frees
 * it. Returns 0, or Scotch's error. */
int pen_scotch_context(SCOTCH_Context *context, int64_t seed);
