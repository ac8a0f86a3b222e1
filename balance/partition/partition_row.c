#include "base/options.h"
#include "partition/grid.h"
#include "partition/partition.h"

pen_status pen_partition_row(const pen_graph *graph, char *settings, int parts, int32_t *part)
{
    pen_grid grid = { 0, 0 };
    const pen_option table[] = {
        { .name = "width", .argument = "N", .kind = PEN_OPTION_INT, .value = &grid.width, .low = 1, .high = INT64_MAX },
        { .name = "height",
          .argument = "N",
          .kind = PEN_OPTION_INT,
          .value = &grid.height,
          .low = 1,
          .high = INT64_MAX },
        { .name = NULL },
    };
    PEN_TRY(pen_settings_parse("partitioner row", settings, table));
    PEN_TRY(pen_grid_shape(graph, "row", &grid));
    pen_grid_blocks(graph, &grid, parts, 1, part);
    return PEN_OK;
}
