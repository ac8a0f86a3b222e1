/* metis_call.h - calls METIS for the partitioner metis and the balancer metis. `owner` is one of them, "partitioner
 * metis", and begins messages. */
#pragma once

#include "partition/gather.h"
#include <penumbra_plugin.h>

typedef struct pen_metis_settings {
    /* 1: recursive bisection; 0: k-way; -1: the number of nodes per part decides, if both are possible. */
    int64_t recursive;
    /* Whether to minimise the communication volume, and whether parts must be contiguous: 0 or 1. */
    int64_t volume, contiguous;
    int64_t ufactor, seed; /* settings of METIS; -1: METIS's own */
    int64_t phases;        /* whether each phase is a constraint, 0 or 1; for the balancer only */
} pen_metis_settings;

/* The settings of the balancer. The partitioner has all but the first, `phases`: a graph has no loads of phases. */
extern const pen_setting pen_metis_balancer_options[];
#define PEN_METIS_PARTITIONER_OPTIONS (pen_metis_balancer_options + 1)
/* The check of the settings, for the partitioner and the balancer. */
const char *pen_metis_check(void *settings);

/* Local. Partition a graph that has edges and more than `parts` >= 2 nodes, since METIS crashes, hangs or prints on
 * others: part[row]. Each phase in which the graph has loads is a constraint. Parts get shares like the machine's
 * speeds, equal ones if machine is NULL. A node that METIS left out gets -1. METIS's messages on standard output
 * ("Cannot bisect a graph with 0 vertices!") are suppressed. Errors: PEN_ERR_UNSUPPORTED (contiguous parts of a graph
 * that is not connected), PEN_ERR_MEMORY, PEN_ERR_INTERNAL (METIS failed). */
PEN_CHECKED pen_status pen_metis_call(const char *owner, pen_serial_graph *serial, const pen_metis_settings *settings,
                                      const pen_machine *machine, int parts, int32_t *part);
