#include "base/memory.h"
#include "partition/metis_call.h"
#include "partition/partition.h"

#include <stdlib.h>

pen_status pen_partition_metis(const pen_graph *graph, char *settings, int parts, int32_t *part)
{
    static const char owner[] = "partitioner metis";
    pen_metis_settings parsed;
    PEN_TRY(pen_metis_parse(owner, settings, &parsed));
    /* What pen_metis_call does not take. */
    if (parts == 1 || graph->edges == 0 || graph->nodes <= parts)
        return pen_partition_contiguous(graph, graph->nodes > parts, parts, part);
    pen_serial_graph serial;
    PEN_TRY(pen_serial_gather(graph, "metis", &serial));
    pen_status status = PEN_OK;
    int32_t *by_row = NULL;
    if (graph->comm->rank == 0) {
        status = PEN_ALLOC(&by_row, serial.nodes);
        if (status == PEN_OK) status = pen_metis_call(owner, &serial, &parsed, parts, by_row);
    }
    status = pen_serial_scatter(graph, status, &serial, by_row, part);
    pen_serial_free(&serial);
    free(by_row);
    return status;
}
