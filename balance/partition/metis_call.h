/* metis_call.h - calls METIS for the partitioner metis and the balancer metis. `owner` is one of them, "partitioner
 * metis", and begins messages. */
#pragma once

#include "partition/gather.h"
#include <penumbra_plugin.h>

typedef struct pen_metis_settings {
    int64_t recursive;          /* 0: k-way; -1: the number of nodes per part decides, where both can do it */
    int64_t volume, contiguous; /* 0 or 1 */
    int64_t ufactor, seed;      /* -1: METIS's own */
    int64_t phases;             /* 0 or 1; of the balancer: a constraint for each phase */
} pen_metis_settings;

/* The settings of the balancer. The partitioner has all but the first, `phases`: a graph has no loads of phases. */
extern const pen_setting pen_metis_balancer_options[];
#define PEN_METIS_PARTITIONER_OPTIONS (pen_metis_balancer_options + 1)
/* The check of either. */
const char *pen_metis_check(void *settings);

/* Local. Every phase that the graph has loads in is a constraint. Parts get shares as the machine's speeds, equal ones
 * if that is NULL. part[row] of a graph that has edges and more than `parts` >= 2 nodes; on others METIS crashes, hangs
 * or prints. A node that METIS left out gets -1. METIS's messages on standard output ("Cannot bisect a graph with 0
 * vertices!") are suppressed. Errors: PEN_ERR_UNSUPPORTED (contiguous parts of a graph that is not connected),
 * PEN_ERR_MEMORY, PEN_ERR_INTERNAL (METIS failed). */
PEN_CHECKED pen_status pen_metis_call(const char *owner, pen_serial_graph *serial, const pen_metis_settings *settings,
                                      const pen_machine *machine, int parts, int32_t *part);
