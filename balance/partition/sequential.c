/* sequential.c - sequential partitioners on rank 0. */
#include "partition/sequential.h"
#include "base/memory.h"
#include "view/peers.h"
#include "view/view.h"

#include <stdlib.h>

/* Collective. Check that sums fit; *weighted: some load is not 0. */
static pen_status check_sums(const pen_graph *graph, const char *owner, bool *weighted)
{
    static const char *const names[] = { "sum of loads", "sum of node sizes" };
    double sums[2] = { 0, 0 };
    for (pen_lid i = 0; i < graph->count; i++) {
        sums[0] += (double)pen_graph_load(graph, i);
        if (graph->node_sizes) sums[1] += (double)graph->node_sizes[i];
    }
    PEN_TRY(pen_all_reduce(graph->comm, MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM));
    *weighted = graph->node_weights && sums[0] > 0;
    return pen_check_32_bits(owner, 2, names, sums);
}

/* Collective. Gather the sizes of all nodes, or their loads. */
static pen_status gather_values(const pen_graph *graph, bool sizes, pen_peers *peers, pen_gathered *g)
{
    int32_t *values;
    PEN_TRY(PEN_ALLOC(&values, graph->count));
    for (pen_lid i = 0; i < graph->count; i++)
        values[i] = (int32_t)(sizes ? graph->node_sizes[i] : pen_graph_load(graph, i));
    pen_status status = pen_gather_values(peers, g, values, sizes ? &g->graph.sizes : &g->graph.loads);
    free(values);
    return status;
}

/* Rank 0. Check the sum of the weights of arcs, which METIS makes from the sizes of their ends. */
static pen_status check_sizes(const pen_serial_graph *g, const char *owner)
{
    static const char *const name = "sum of node sizes over all arcs";
    double sum = 0.0;
    for (int32_t n = 0; n < g->nodes; n++)
        sum += (double)(g->rows[n + 1] - g->rows[n]) * (2.0 * (double)g->sizes[n] + 1.0);
    return pen_check_32_bits(owner, 1, &name, &sum);
}

/* Collective. Gather a graph that is directed or has sparse gids, as a view: it has readers as neighbours, and numbers
 * for gids. */
static pen_status gather_view(const pen_graph *graph, const char *owner, pen_peers *peers, pen_gathered *g)
{
    pen_load_view view;
    PEN_TRY(pen_load_view_of_graph(graph, true, &view));
    pen_status status = pen_gather(&view, peers, owner, true, g);
    pen_load_view_free(&view);
    return status;
}

/* Collective. Gather the graph. */
static pen_status gather(const pen_graph *graph, const char *owner, bool weighted, pen_gathered *g)
{
    pen_mpi_peers peers;
    bool plain = graph->dense && !graph->directed;
    PEN_TRY(pen_peers_begin(graph->comm, &peers));
    pen_status status = plain ? pen_gather_graph(graph, &peers.peers, owner, g)
                              : gather_view(graph, owner, &peers.peers, g);
    if (status == PEN_OK && weighted) status = gather_values(graph, false, &peers.peers, g);
    if (status == PEN_OK && graph->node_sizes) status = gather_values(graph, true, &peers.peers, g);
    return pen_peers_end(&peers, status, NULL);
}

/* Collective. Send the parts back. */
static pen_status scatter(pen_comm *comm, pen_status mine, pen_lid count, const pen_gathered *g, const int32_t *by_row,
                          int32_t *part)
{
    pen_mpi_peers peers;
    const int32_t *came = NULL;
    PEN_TRY(pen_agree(comm, mine));
    PEN_TRY(pen_peers_begin(comm, &peers));
    pen_status status = pen_gathered_scatter(&peers.peers, g, by_row, &came);
    if (status == PEN_OK && came) memcpy(part, came, (size_t)count * sizeof *part);
    return pen_peers_end(&peers, status, NULL);
}

pen_status pen_partition_sequentially(const pen_graph *graph, const char *owner, pen_divide_fn *divide,
                                      const void *settings, const pen_machine *machine, int parts, int32_t *part)
{
    bool weighted = false;
    int32_t *by_row = NULL;
    pen_gathered g = { .owners = NULL };
    PEN_TRY(check_sums(graph, owner, &weighted));
    pen_status status = gather(graph, owner, weighted, &g);
    if (status == PEN_OK) {
        if (graph->comm->rank == 0) {
            if (graph->node_sizes) status = check_sizes(&g.graph, owner);
            if (status == PEN_OK) status = PEN_ALLOC(&by_row, g.graph.nodes);
            if (status == PEN_OK) status = divide(settings, &g.graph, machine, parts, by_row);
        }
        status = scatter(graph->comm, status, graph->count, &g, by_row, part);
    }
    pen_gathered_free(&g);
    free(by_row);
    return status;
}
