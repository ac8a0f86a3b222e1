/* scotch_settings.h - common settings of the partitioners scotch and ptscotch, and the balancer scotch. `owner` is one
 * of them, "partitioner scotch", and begins messages. */
#pragma once

#include "partition/architecture.h"
#include <penumbra_plugin.h>

enum { PEN_SCOTCH_DEFAULT, PEN_SCOTCH_QUALITY }; /* the first strategies */

typedef struct pen_scotch_settings {
    int64_t seed;
    double imbalance; /* allowed, as a part of the mean load */
    int64_t strategy; /* which of the words below */
    const char *arch; /* of the partitioner scotch; NULL: none */
    bool remap;       /* of the balancer scotch */
} pen_scotch_settings;

/* Entries of a table: the common settings. */
#define PEN_SCOTCH_SETTINGS                                                                                  \
    { "seed", "N", "1", NULL, PEN_OPTION_INT, offsetof(pen_scotch_settings, seed), 0, INT32_MAX },           \
        { "imbalance", "R", "0.01", NULL, PEN_OPTION_REAL, offsetof(pen_scotch_settings, imbalance), 0, 1 }, \
    {                                                                                                        \
        "strategy", "default|quality|speed|balance|safety|recursive", "default", NULL, PEN_OPTION_WORD,      \
            offsetof(pen_scotch_settings, strategy), 0, 0                                                    \
    }

/* Local. SCOTCH_STRAT... of the word. */
SCOTCH_Num pen_scotch_strategy(const pen_scotch_settings *settings);

/* Local. Scotch refuses loads below 1. Where some are 0 all loads are multiplied by `*scale`, and the zeros
 * become 1, so that together they weigh no more than a hundredth of the whole, as far as 32 bits allow.
 * `total` is the sum of the loads, `zeros` their number. PEN_ERR_UNSUPPORTED where they do not fit at all. */
PEN_CHECKED pen_status pen_scotch_scale(const char *owner, int64_t total, int64_t zeros, int64_t *scale);

static inline SCOTCH_Num pen_scotch_load(int64_t load, int64_t scale)
{
    return load > 0 ? (SCOTCH_Num)(load * scale) : 1;
}

/* Local. Open a context for Scotch: one thread, deterministic, with its own random numbers; SCOTCH_contextExit frees
 * it. Returns 0, or Scotch's error. */
int pen_scotch_context(SCOTCH_Context *context, int64_t seed);
