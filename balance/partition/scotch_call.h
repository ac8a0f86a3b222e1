/* scotch_call.h - calls Scotch for the partitioner scotch and the balancer scotch. */
#pragma once

#include "partition/gather.h"
#include "partition/scotch_settings.h"

/* A mapping that is to be kept where this pays. */
typedef struct pen_scotch_remap {
    int32_t *old;   /* [nodes] the processor that each row is on */
    int32_t *costs; /* [nodes] what moving it costs, in units of edge weight times distance */
} pen_scotch_remap;

/* Local. part[row] for a graph whose loads are >= 1 (or NULL); `remap` is NULL for a mapping from scratch. A node that
 * Scotch left out gets -1; Scotch's own messages are suppressed. Errors: PEN_ERR_UNSUPPORTED (a cost beyond 31 bits),
 * PEN_ERR_INTERNAL (Scotch failed). */
PEN_CHECKED pen_status pen_scotch_call(const char *owner, const pen_serial_graph *serial,
                                       const pen_scotch_settings *settings, const pen_architecture *architecture,
                                       const pen_scotch_remap *remap, int32_t *part);
