/* grid.c - cuts grids into blocks. */
#include "partition/grid.h"
#include "base/memory.h"
#include "view/shares.h"

#include <stdlib.h>

static pen_status from_settings(const pen_graph *graph, const char *partitioner, pen_grid_shape *grid)
{
    int64_t nodes = graph->nodes, width = grid->width, height = grid->height;
    if (width < 0 && nodes % height == 0) grid->width = nodes / height;
    if (height < 0 && nodes % width == 0) grid->height = nodes / width;
    if (grid->width > 0 && grid->height > 0 && nodes % grid->width == 0 && nodes / grid->width == grid->height)
        return PEN_OK;
    if (width > 0 && height > 0)
        return pen_fail(PEN_ERR_INPUT,
                        "partitioner %s: width=%" PRId64 ",height=%" PRId64 " does not give %" PRId64 " nodes",
                        partitioner, width, height, nodes);
    return pen_fail(PEN_ERR_INPUT, "partitioner %s: %s=%" PRId64 " does not divide %" PRId64 " nodes", partitioner,
                    width > 0 ? "width" : "height", width > 0 ? width : height, nodes);
}

pen_status pen_grid_find(const pen_graph *graph, const char *partitioner, const pen_grid_shape *given,
                         pen_grid_shape *grid)
{
    *grid = *given;
    if (grid->width > 0 || grid->height > 0) {
        PEN_TRY(from_settings(graph, partitioner, grid));
    } else {
        if (graph->depth != 1)
            return pen_fail(PEN_ERR_UNSUPPORTED,
                            "partitioner %s: the graph was not generated as a grid of two dimensions; give its shape "
                            "with %s:width=N,height=N",
                            partitioner, partitioner);
        *grid = (pen_grid_shape){ graph->width, graph->height };
    }
    for (pen_lid i = 0; i < graph->count; i++)
        if (pen_graph_gid(graph, i) >= graph->nodes)
            return pen_fail(PEN_ERR_UNSUPPORTED,
                            "partitioner %s: node %" PRIgid " has no place in a grid of %" PRId64
                            " nodes, counted from 0",
                            partitioner, pen_graph_gid(graph, i), graph->nodes);
    return PEN_OK;
}

/* The band of thing i, if n things in a row are cut into bands. before[k], [bands+1], is the share of the bands before
 * band k; each band begins at the nearest thing. NULL: the first n % bands bands have one thing more than the
 * others. */
static int64_t band_of(int64_t i, int64_t n, int64_t bands, const double *before)
{
    int64_t each = n / bands, more = n % bands, boundary = more * (each + 1);
    if (!before) return i < boundary ? i / (each + 1) : more + (i - boundary) / each;
    int64_t low = 0, high = bands; /* the band is in [low, high) */
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        double begin = floor((before[middle] - before[0]) / (before[bands] - before[0]) * (double)n + 0.5);
        if (begin <= (double)i) low = middle;
        else high = middle;
    }
    return low;
}

pen_status pen_grid_blocks(const pen_graph *graph, const pen_grid_shape *grid, const pen_machine *machine, int64_t rows,
                           int64_t columns, int32_t *part)
{
    pen_shares shares;
    double *before = NULL; /* shares of the bands of rows */
    pen_status status = pen_shares_create(machine, (int)(rows * columns), &shares);
    if (status == PEN_OK && machine) status = PEN_ALLOC(&before, rows + 1);
    for (int64_t r = 0; status == PEN_OK && machine && r <= rows; r++) before[r] = shares.before[r * columns];
    for (pen_lid i = 0; status == PEN_OK && i < graph->count; i++) {
        pen_gid gid = pen_graph_gid(graph, i);
        int64_t row = band_of(gid / grid->width, grid->height, rows, before);
        const double *here = machine ? shares.before + row * columns : NULL;
        part[i] = (int32_t)(row * columns + band_of(gid % grid->width, grid->width, columns, here));
    }
    free(before);
    pen_shares_free(&shares);
    return status;
}
