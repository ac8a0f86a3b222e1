#include "partition/grid.h"
#include "partition/partition.h"

#include <math.h>

/* Of the ways to write parts as rows * columns, the one with the least circumference of a block; of two
 * the one with fewer rows. */
static int64_t choose_rows(const pen_grid_shape *grid, int64_t parts)
{
    int64_t best = 1;
    double least = HUGE_VAL;
    for (int64_t rows = 1; rows <= parts; rows++) {
        if (parts % rows != 0) continue;
        double sides = (double)grid->height / (double)rows + (double)grid->width / (double)(parts / rows);
        if (sides < least) {
            least = sides;
            best = rows;
        }
    }
    return best;
}

static pen_status settle(const pen_grid_shape *grid, int64_t parts, int64_t *rows, int64_t *columns)
{
    if (*rows == 0 && *columns == 0) *rows = choose_rows(grid, parts);
    if (*rows == 0) *rows = parts / *columns;
    if (*columns == 0) *columns = parts / *rows;
    if (*rows * *columns == parts) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT,
                    "partitioner rect: %" PRId64 " parts are not %" PRId64 " rows of %" PRId64 " columns", parts, *rows,
                    *columns);
}

pen_status pen_partition_rect(const pen_graph *graph, char *settings, const pen_machine *machine, int parts,
                              int32_t *part)
{
    pen_grid_shape grid;
    int64_t rows = 0, columns = 0;
    const pen_option own[2] = {
        { .name = "rows", .argument = "N", .kind = PEN_OPTION_INT, .value = &rows, .low = 1, .high = INT32_MAX },
        { .name = "columns", .argument = "N", .kind = PEN_OPTION_INT, .value = &columns, .low = 1, .high = INT32_MAX },
    };
    PEN_TRY(pen_grid_read(graph, "rect", settings, own, &grid));
    PEN_TRY(settle(&grid, parts, &rows, &columns));
    return pen_grid_blocks(graph, &grid, machine, rows, columns, part);
}

pen_status pen_partition_row(const pen_graph *graph, char *settings, const pen_machine *machine, int parts,
                             int32_t *part)
{
    pen_grid_shape grid;
    PEN_TRY(pen_grid_read(graph, "row", settings, NULL, &grid));
    return pen_grid_blocks(graph, &grid, machine, parts, 1, part);
}

pen_status pen_partition_column(const pen_graph *graph, char *settings, const pen_machine *machine, int parts,
                                int32_t *part)
{
    pen_grid_shape grid;
    PEN_TRY(pen_grid_read(graph, "column", settings, NULL, &grid));
    return pen_grid_blocks(graph, &grid, machine, 1, parts, part);
}
