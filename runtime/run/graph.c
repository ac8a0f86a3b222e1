/* graph.c - the graph of a run, as its nodes are distributed now. */
#include "graph/graph.h"
#include "base/memory.h"
#include "run/state.h"

static pen_status list_rows(const pen_store *store, int64_t **rows, pen_gid **neighbors)
{
    int64_t arcs = store->rows[store->owned];
    PEN_TRY(PEN_ALLOC(rows, (int64_t)store->owned + 1));
    PEN_TRY(PEN_ALLOC(neighbors, arcs));
    for (pen_lid s = 0; s <= store->owned; s++) (*rows)[s] = store->rows[s];
    for (int64_t j = 0; j < arcs; j++) (*neighbors)[j] = store->gids[store->columns[j]];
    return PEN_OK;
}

pen_status pen_run_graph(pen_run *run, pen_graph **graph)
{
    PEN_WITHIN("pen_run_graph");
    PEN_TRY(pen_run_ready(run, "pen_run_graph"));
    PEN_TRY(pen_agree(run->comm, pen_given(graph, "the graph")));
    const pen_store *store = run->store;
    if (run->graph.nodes == 0) return pen_fail(PEN_ERR_UNSUPPORTED, "%s: the graph has no nodes left", run->app->name);
    int64_t *rows = NULL;
    pen_gid *neighbors = NULL;
    pen_graph *g = NULL;
    pen_status status = pen_agree(run->comm, list_rows(store, &rows, &neighbors));
    const pen_csr mine = { .count = store->owned,
                           .gids = store->gids,
                           .rows = rows,
                           .neighbors = neighbors,
                           .node_weights = store->node_weights,
                           .edge_weights = store->edge_weights,
                           .directed = store->directed,
                           .dimensions = store->dimensions,
                           .coordinates = store->coordinates };
    if (status == PEN_OK) status = pen_graph_from_csr(run->comm->mpi, &mine, &g);
    PEN_FREE_ALL(rows, neighbors);
    PEN_TRY(status);
    g->width = store->grid.width;
    g->height = store->grid.height;
    g->depth = store->grid.depth;
    g->grid = store->grid.grid;
    if (run->graph.name) status = pen_copy_text(run->graph.name, &g->origin);
    status = pen_agree(run->comm, status);
    if (status == PEN_OK) *graph = g;
    else pen_graph_destroy(&g);
    return status;
}
