/* shares.h - what part of the whole every part shall have: as its processor's speed. */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

typedef struct pen_shares {
    int parts;
    double *before; /* [parts+1] speeds of the parts before; NULL: all are equal */
} pen_shares;

/* Local. For a machine of so many processors, or NULL: all are equal. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_shares_create(const pen_machine *machine, int parts, pen_shares *shares);
void pen_shares_free(pen_shares *shares);

/* Local. What parts [first, first + count) shall have together, where a part of speed 1 has 1: so many where all are
 * equal. */
static inline double pen_shares_of(const pen_shares *shares, int64_t first, int64_t count)
{
    return shares->before ? shares->before[first + count] - shares->before[first] : (double)count;
}

/* Local. Of a machine's processor; NULL: 1. */
static inline double pen_speed_of(const pen_machine *machine, int32_t processor)
{
    return machine ? machine->speeds[processor] : 1.0;
}

/* Local. Whether two processors may be exchanged; with NULL always. */
static inline bool pen_processors_are_alike(const pen_machine *machine, int32_t a, int32_t b)
{
    return !machine || (machine->speeds[a] == machine->speeds[b] && machine->clusters[a] == machine->clusters[b]);
}
