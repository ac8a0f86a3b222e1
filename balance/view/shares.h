/* shares.h - the share of the whole that every part should have, in proportion to its processor's speed. */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

typedef struct pen_shares {
    int parts;
    double *before; /* [parts+1] sum of the speeds of the parts before each part; NULL: all speeds are equal */
} pen_shares;

/* Local. Make the shares for a machine with `parts` processors, or NULL: all are equal. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_shares_create(const pen_machine *machine, int parts, pen_shares *shares);
void pen_shares_free(pen_shares *shares);

/* Local. The sum of the shares of parts [first, first + count). A part of speed 1 has the share 1; without speeds the
 * sum is `count`. */
static inline double pen_shares_of(const pen_shares *shares, int64_t first, int64_t count)
{
    return shares->before ? shares->before[first + count] - shares->before[first] : (double)count;
}

/* Local. The speed of a machine's processor; machine NULL: 1. */
static inline double pen_speed_of(const pen_machine *machine, int32_t processor)
{
    return machine ? machine->speeds[processor] : 1.0;
}

/* Local. Whether two processors may be exchanged; machine NULL: always. */
static inline bool pen_processors_are_alike(const pen_machine *machine, int32_t a, int32_t b)
{
    return !machine || (machine->speeds[a] == machine->speeds[b] && machine->clusters[a] == machine->clusters[b]);
}
