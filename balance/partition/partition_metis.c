/* partition_metis.c - the partitioner metis. */
#include "partition/metis_call.h"
#include "partition/partition.h"
#include "partition/sequential.h"

static const char owner[] = "partitioner metis";

static pen_status divide(const void *settings, pen_serial_graph *graph, const pen_machine *machine, int parts,
                         int32_t *part)
{
    return pen_metis_call(owner, graph, settings, machine, parts, part);
}

static pen_status partition(const void *settings, const pen_graph *graph, const pen_machine *machine, int parts,
                            int32_t *part)
{
    /* METIS cannot take these graphs (metis_call.h). */
    if (parts == 1 || graph->edges == 0 || graph->nodes <= parts)
        return pen_partition_contiguous(graph, graph->nodes > parts, machine, parts, part);
    return pen_partition_sequentially(graph, owner, divide, settings, machine, parts, part);
}

const pen_partitioner pen_partitioner_metis = {
    .name = "metis",
    .summary = "METIS: few cut edges, equal loads; rank 0 gathers the graph",
    .settings = PEN_METIS_PARTITIONER_OPTIONS,
    .settings_size = sizeof(pen_metis_settings),
    .check = pen_metis_check,
    .of_graph = partition,
};
