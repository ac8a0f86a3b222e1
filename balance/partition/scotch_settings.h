/* scotch_settings.h - what the partitioners scotch and ptscotch, and the balancer scotch, have in common.
 * `owner` is one of them, "partitioner scotch", and begins messages. */
#ifndef PEN_SCOTCH_SETTINGS_H
#define PEN_SCOTCH_SETTINGS_H

#include "base/options.h"
#include "partition/architecture.h"

typedef struct pen_scotch_settings {
    int64_t seed;
    double imbalance;    /* allowed, as a part of the mean load */
    SCOTCH_Num strategy; /* SCOTCH_STRAT... */
} pen_scotch_settings;

/* Local. `own` is an option that only this owner has, or NULL. PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_scotch_parse(const char *owner, char *settings, const pen_option *own,
                                        pen_scotch_settings *parsed);

/* Local. Scotch refuses loads below 1. Where some are 0 all loads are multiplied by `*scale`, and the zeros
 * become 1, so that together they weigh no more than a hundredth of the whole, as far as 32 bits allow.
 * `total` is the sum of the loads, `zeros` their number. PEN_ERR_UNSUPPORTED where they do not fit at all. */
PEN_CHECKED pen_status pen_scotch_scale(const char *owner, int64_t total, int64_t zeros, int64_t *scale);

static inline SCOTCH_Num pen_scotch_load(int64_t load, int64_t scale)
{
    return load > 0 ? (SCOTCH_Num)(load * scale) : 1;
}

/* Local. What Scotch runs in: one thread, deterministic, with its own random numbers; SCOTCH_contextExit
 * frees it. 0, or what Scotch returned. */
int pen_scotch_context(SCOTCH_Context *context, int64_t seed);

#endif
