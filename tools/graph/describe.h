/* describe.h - prints machines, as text or JSON, and the quality of partitions. All Local. */
#pragma once

#include "tools/graph/file_graph.h"
#include <penumbra_plugin.h>

/* Print the machine that was opened as `name`. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_describe_machine(const char *name, const pen_machine *machine);

/* Print a JSON object, for programs that draw the machine: "kind" torus, tree or table; "sizes" of dimensions or
 * levels; "links" of a hop, or of each level; "speeds" of processors; "clusters" with name, text, processors and inner
 * link; for a table "between", one row per cluster. A link is [cost, latency]. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_print_machine(const pen_machine *machine);

/* Print the quality of a partition, part[g->nodes] in [0, parts); on a machine of at least `parts` processors, or NULL.
 * PEN_ERR_UNSUPPORTED (2^31 nodes, 2^32 arcs), PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_describe_partition(const char *name, const file_graph *g, int parts, const int32_t *part,
                                              const pen_machine *machine);
