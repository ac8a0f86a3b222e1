/* describe.h - machines, and partitions for them, in words or JSON, on standard output. All Local. */
#pragma once

#include "tools/graph/file_graph.h"
#include <penumbra_plugin.h>

/* `name` is what it was opened by. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_describe_machine(const char *name, const pen_machine *machine);

/* The same as a JSON object, for programs that draw it: "kind" torus, tree or table, with "sizes" of its dimensions or
 * levels and "links" of a hop, or of each level; "speeds" of processors; "clusters" with their name, text, processors
 * and inner link; for a table "between", a row a cluster. A link has cost and latency. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_print_machine(const pen_machine *machine);

/* How good a partition is: part[i] in [0, parts), [g->nodes]; on the machine, of at least so many processors, or NULL.
 * PEN_ERR_UNSUPPORTED (2^31 nodes, 2^32 arcs), PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_describe_partition(const char *name, const file_graph *g, int parts, const int32_t *part,
                                              const pen_machine *machine);
