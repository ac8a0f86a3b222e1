/* partition_rect.c - the partitioners rect, row and column: rectangles of a grid. */
#include "partition/grid.h"
#include "partition/partition.h"

#include <math.h>

/* Factorise parts as rows * columns so that a block has the least circumference; of equal ones, with fewer rows. */
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

typedef struct rect_settings {
    pen_grid_shape shape;
    int64_t rows, columns; /* numbers of rows and columns of parts; -1: not given */
} rect_settings;

static pen_status settle(const pen_grid_shape *grid, int64_t parts, int64_t *rows, int64_t *columns)
{
    if (*rows < 0 && *columns < 0) *rows = choose_rows(grid, parts);
    if (*rows < 0) *rows = parts / *columns;
    if (*columns < 0) *columns = parts / *rows;
    if (*rows * *columns == parts) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT,
                    "partitioner rect: %" PRId64 " parts are not %" PRId64 " rows of %" PRId64 " columns", parts, *rows,
                    *columns);
}

static pen_status partition_rect(const void *settings, const pen_graph *graph, const pen_machine *machine, int parts,
                                 int32_t *part)
{
    const rect_settings *given = settings;
    pen_grid_shape grid;
    int64_t rows = given->rows, columns = given->columns;
    PEN_TRY(pen_grid_find(graph, "rect", &given->shape, &grid));
    PEN_TRY(settle(&grid, parts, &rows, &columns));
    return pen_grid_blocks(graph, &grid, machine, rows, columns, part);
}

static pen_status partition_row(const void *settings, const pen_graph *graph, const pen_machine *machine, int parts,
                                int32_t *part)
{
    pen_grid_shape grid;
    PEN_TRY(pen_grid_find(graph, "row", settings, &grid));
    return pen_grid_blocks(graph, &grid, machine, parts, 1, part);
}

static pen_status partition_column(const void *settings, const pen_graph *graph, const pen_machine *machine, int parts,
                                   int32_t *part)
{
    pen_grid_shape grid;
    PEN_TRY(pen_grid_find(graph, "column", settings, &grid));
    return pen_grid_blocks(graph, &grid, machine, 1, parts, part);
}

static const pen_setting band_settings[] = { PEN_GRID_SETTINGS, { .name = NULL } };

static const pen_setting block_settings[] = {
    { "rows", "N", NULL, "rows of parts", PEN_OPTION_INT, offsetof(rect_settings, rows), 1, INT32_MAX },
    { "columns", "N", NULL, "columns of parts", PEN_OPTION_INT, offsetof(rect_settings, columns), 1, INT32_MAX },
    PEN_GRID_SETTINGS,
    { .name = NULL },
};

const pen_partitioner pen_partitioner_row = {
    .name = "row",
    .summary = "bands of a grid's rows",
    .settings = band_settings,
    .settings_size = sizeof(pen_grid_shape),
    .of_graph = partition_row,
};

const pen_partitioner pen_partitioner_column = {
    .name = "column",
    .summary = "bands of a grid's columns",
    .settings = band_settings,
    .settings_size = sizeof(pen_grid_shape),
    .of_graph = partition_column,
};

const pen_partitioner pen_partitioner_rect = {
    .name = "rect",
    .summary = "rectangles of a grid, as square as the number of parts allows",
    .settings = block_settings,
    .settings_size = sizeof(rect_settings),
    .of_graph = partition_rect,
};
