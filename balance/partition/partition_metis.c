#include "partition/metis_call.h"
#include "partition/partition.h"
#include "partition/sequential.h"

static const char owner[] = "partitioner metis";

static pen_status divide(const void *settings, pen_serial_graph *graph, const pen_machine *machine, int parts,
                         int32_t *part)
{
    return pen_metis_call(owner, graph, settings, machine, parts, part);
}

pen_status pen_partition_metis(const pen_graph *graph, char *settings, const pen_machine *machine, int parts,
                               int32_t *part)
{
    pen_metis_settings parsed;
    PEN_TRY(pen_metis_parse(owner, settings, &parsed));
    /* What pen_metis_call does not take. */
    if (parts == 1 || graph->edges == 0 || graph->nodes <= parts)
        return pen_partition_contiguous(graph, graph->nodes > parts, machine, parts, part);
    return pen_partition_sequentially(graph, owner, divide, &parsed, machine, parts, part);
}
