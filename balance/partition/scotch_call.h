/* scotch_call.h - calls Scotch for the partitioner scotch and the balancer scotch. */
#pragma once

#include "partition/gather.h"
#include "partition/scotch_settings.h"

/* A mapping that should be kept where that pays. */
typedef struct pen_scotch_remap {
    int32_t *old;   /* [nodes] present processor of each row */
    int32_t *costs; /* [nodes] cost of moving each row, in units of edge weight times distance */
} pen_scotch_remap;

/* Local. Partition a graph whose loads are >= 1 (or NULL): part[row]; `remap` is NULL for a mapping from scratch. A
 * node that Scotch left out gets -1; Scotch's own messages are suppressed. Errors: PEN_ERR_UNSUPPORTED (a cost beyond
 * 31 bits), PEN_ERR_INTERNAL (Scotch failed). */
PEN_CHECKED pen_status pen_scotch_call(const char *owner, const pen_serial_graph *serial,
                                       const pen_scotch_settings *settings, const pen_architecture *architecture,
                                       const pen_scotch_remap *remap, int32_t *part);
