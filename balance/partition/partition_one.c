/* partition_one.c - the partitioner one: all nodes in part 0. */
#include "partition/partition.h"

/* Put all nodes in part 0, as a start for a balancer. */
static pen_status partition(const void *settings, const pen_graph *graph, const pen_machine *machine, int parts,
                            int32_t *part)
{
    for (pen_lid i = 0; i < graph->count; i++) part[i] = 0;
    return PEN_OK;
}

const pen_partitioner pen_partitioner_one = {
    .name = "one",
    .summary = "all nodes on rank 0, to be distributed by a balancer",
    .of_graph = partition,
};
