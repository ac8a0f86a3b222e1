#include "graph/graph.h"
#include "base/memory.h"

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

void pen_graph_destroy(pen_graph **graph)
{
    if (!graph || !*graph) return;
    pen_graph *g = *graph;
    PEN_FREE_ALL(g->gids, g->rows, g->neighbors, g->node_weights, g->node_sizes, g->edge_weights, g->coordinates);
    pen_comm_destroy(&g->comm);
    free(g);
    *graph = NULL;
}

int64_t pen_graph_nodes(const pen_graph *graph) { return graph->nodes; }
int64_t pen_graph_edges(const pen_graph *graph) { return graph->edges; }

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
