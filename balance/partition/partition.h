/* partition.h - static partitioners, which choose the part in which each node of a graph starts.
 *
 * A partitioner is one file, partition_NAME.c (row and column are in partition_rect.c), and one line of the table
 * (balance/partitioners.c). Those that see a graph as balancers do are in rebalance/balancers.h. */
#pragma once

#include "graph/graph.h"
#include <penumbra_plugin.h>

/* Partitioners that work on a pen_graph (of_graph). pen_partition agrees on the status; until then no rank may wait for
 * one that has failed. */
extern const pen_partitioner pen_partitioner_block, pen_partitioner_random, pen_partitioner_metis, pen_partitioner_file,
    pen_partitioner_scotch, pen_partitioner_ptscotch, pen_partitioner_row, pen_partitioner_column, pen_partitioner_rect,
    pen_partitioner_gray, pen_partitioner_one;

extern const bool pen_ptscotch_built; /* whether this build has PT-Scotch */

/* Collective. Compute the cost of a partition on the network of processors that `spec` names by "arch=", as Scotch
 * counts it: *cost is the sum over all edges (arcs if directed) of weight * distance between the processors of its
 * ends, part k being on processor k; -1 if `spec` names no network. part[i] in [0, parts). Errors: as pen_partition, of
 * the settings. */
PEN_CHECKED pen_status pen_partition_dilation(const pen_graph *graph, const char *spec, int parts, const int32_t *part,
                                              int64_t *cost);

/* Collective. Make contiguous parts. Nodes are taken in rank order, within a rank in local order (which is gid order if
 * gids are dense), and cut where the running sum of loads passes a multiple of total / parts, or with a machine the sum
 * of the shares so far. So a part's load differs from its share by less than the heaviest node. With unit loads (also
 * if all loads are 0, or not by_load) sizes differ from the shares by less than 1. Errors: PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_partition_contiguous(const pen_graph *graph, bool by_load, const pen_machine *machine,
                                                int parts, int32_t *part);

/* Collective. Like pen_machine_create (view/machine.h); in addition, if `spec` ends in .tgt, create the machine of that
 * file of an architecture. Its speeds are the weights, as multiples of the lightest. Errors: as pen_machine_create and
 * pen_architecture_create. */
PEN_CHECKED pen_status pen_machine_open(pen_comm *comm, const char *spec, int parts, pen_machine **machine);

/* Local. The version of METIS that this was built with, such as "5.1.0"; the version of Scotch that is linked. Static
 * storage. */
const char *pen_metis_version(void);
const char *pen_scotch_version(void);
