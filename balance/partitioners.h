/* partitioners.h - finds partitioners by name: built-in ones, and plug-ins by path. */
#pragma once

#include "graph/graph.h"
#include <penumbra_plugin.h>

/* Collective. Partition a graph: part[i] in [0, parts) for each local node i of the graph, [graph->count]; unspecified
 * after a failure. `parts` >= 1, `spec` and the machine are equal on all ranks; the machine has `parts` processors and
 * may be NULL. `spec` is "name" or "name:settings"; pen_partition_list prints the settings, mostly
 * "key=value,key=value". Empty parts are legal. A name with a slash is a plug-in's path. Errors: PEN_ERR_ARGUMENT;
 * PEN_ERR_INPUT (unknown name, with the known ones and the nearest; bad settings; a bad partition file);
 * PEN_ERR_UNSUPPORTED (the graph does not fit the partitioner, with the reason); PEN_ERR_IO, PEN_ERR_MEMORY,
 * PEN_ERR_MPI; PEN_ERR_INTERNAL (a partitioner gave a part out of range, or failed; for a plug-in that is
 * PEN_ERR_INPUT). */
PEN_CHECKED pen_status pen_partition(const pen_graph *graph, const char *spec, const pen_machine *machine, int parts,
                                     int32_t *part);

/* Collective. The partitioner of a graph for which none is named: metis; but where rank 0 had to work for long while
 * the others wait, or to hold more than half of its host's memory, sfc if nodes have places, or else ptscotch if there
 * is one and the graph is undirected. Then a line on standard error says so. *name has static storage. PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_partition_choose(const pen_graph *graph, int parts, const char **name);

/* Tests change them, on all ranks alike: seconds that rank 0 may work for (10), and the part of its host's memory that
 * it may use (0.5). */
extern PEN_PER_RANK double pen_partition_patience, pen_partition_share;

/* Local. Print the table of `--list=partitioners`: name, summary, settings. */
void pen_partition_list(FILE *out);

/* Local. The name of the i-th partitioner, NULL after the last one. */
const char *pen_partition_name(int i);
