/* graph.c - creates and destroys distributed graphs, and answers questions about them. */
#include "graph/graph.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/memory_stream.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

pen_status pen_graph_new(MPI_Comm comm, pen_graph **graph)
{
    pen_comm *duplicate;
    PEN_TRY(pen_comm_create(comm, &duplicate));
    pen_graph *g;
    pen_status status = pen_agree(duplicate, PEN_ALLOC_ZERO(&g, 1));
    if (status != PEN_OK) {
        free(g);
        pen_comm_destroy(&duplicate);
        return status;
    }
    g->comm = duplicate;
    *graph = g;
    return PEN_OK;
}

pen_status pen_graph_finish(pen_graph *made, pen_status status, pen_graph **graph)
{
    if (status == PEN_OK) *graph = made;
    else pen_graph_destroy(&made);
    return status;
}

void pen_graph_destroy(pen_graph **graph)
{
    if (!graph || !*graph) return;
    pen_mpi_require("pen_graph_destroy");
    pen_graph *g = *graph;
    PEN_FREE_ALL(g->gids, g->rows, g->neighbors, g->node_weights, g->node_sizes, g->edge_weights, g->coordinates,
                 g->origin);
    pen_comm_destroy(&g->comm);
    free(g);
    *graph = NULL;
}

void pen_graph_came_from(pen_graph *graph, const char *format, ...)
{
    size_t size = 0;
    FILE *out = pen_memory_stream(&graph->origin, &size);
    if (!out) return;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(out, format, arguments);
    va_end(arguments);
    if (fclose(out) == 0) return;
    free(graph->origin);
    graph->origin = NULL;
}

uint64_t pen_graph_sum(const pen_graph *graph)
{
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t sum = 0;
    for (pen_lid i = 0; i < graph->count; i++) {
        uint64_t row = pen_mix((uint64_t)pen_graph_gid(graph, i)) + (uint64_t)pen_graph_load(graph, i);
        for (int64_t k = graph->rows[i]; k < graph->rows[i + 1]; k++) {
            row = (row ^ (uint64_t)graph->neighbors[k]) * odd;
            if (graph->edge_weights) row = (row ^ row >> 32 ^ (uint64_t)graph->edge_weights[k]) * odd;
            row ^= row >> 29;
        }
        for (int d = 0; d < graph->dimensions; d++)
            row = pen_mix(row ^
                          pen_hash_bytes(&graph->coordinates[(int64_t)i * graph->dimensions + d], sizeof(double)));
        sum += pen_mix(row);
    }
    return sum;
}

pen_status pen_graph_read_equal(pen_comm *comm, const char *path, const pen_read_options *options)
{
    const pen_argument arguments[] = { { "path", path, 0 },
                                       { "dialect", NULL, options->dialect },
                                       { "directed", NULL, options->directed },
                                       { "load_weight", NULL, options->load_weight } };
    return pen_agree_equal(comm, PEN_OK, arguments, PEN_COUNT_OF(arguments));
}

int64_t pen_graph_nodes(const pen_graph *graph) { return graph ? graph->nodes : 0; }
int64_t pen_graph_edges(const pen_graph *graph) { return graph ? graph->edges : 0; }

void pen_grid_place(const pen_world *grid, pen_gid gid, double at[3])
{
    const int64_t row = gid / grid->width;
    at[0] = (double)(gid % grid->width);
    at[1] = (double)(row % grid->height);
    at[2] = (double)(row / grid->height);
    if (grid->grid != PEN_GRID_HEX) return;
    if (row % 2 == 1) at[0] += 0.5;
    at[1] *= sqrt(0.75);
}

int64_t pen_block_begin(int64_t n, int size, int64_t rank)
{
    int64_t more = n % size;
    return n / size * rank + (rank < more ? rank : more);
}

int pen_block_rank(int64_t n, int size, int64_t i)
{
    int64_t each = n / size, more = n % size, boundary = more * (each + 1);
    return (int)(i < boundary ? i / (each + 1) : more + (i - boundary) / each);
}
