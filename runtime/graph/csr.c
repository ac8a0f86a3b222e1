/* csr.c - a graph from rows that the caller has. */
#include "base/memory.h"
#include "graph/validate.h"

static pen_status check_rows(const pen_csr *csr)
{
    PEN_ARGUMENT(csr->count >= 0, "count %" PRIlid ", must be >= 0", csr->count);
    if (csr->count == 0) return PEN_OK;
    PEN_ARGUMENT(csr->gids && csr->rows, "gids and rows must not be NULL");
    PEN_ARGUMENT(csr->rows[0] == 0, "rows[0] is %" PRId64 ", must be 0", csr->rows[0]);
    for (pen_lid i = 0; i < csr->count; i++)
        PEN_ARGUMENT(csr->rows[i] <= csr->rows[i + 1],
                     "rows[%" PRIlid "] is %" PRId64 " and rows[%" PRIlid "] is %" PRId64 ", rows must be ascending", i,
                     csr->rows[i], i + 1, csr->rows[i + 1]);
    PEN_ARGUMENT(csr->neighbors || csr->rows[csr->count] == 0, "neighbors must not be NULL");
    PEN_ARGUMENT(csr->dimensions >= 0 && csr->dimensions <= 3, "dimensions %d, must be in 0..3", csr->dimensions);
    PEN_ARGUMENT(csr->coordinates || csr->dimensions == 0, "coordinates must not be NULL");
    return PEN_OK;
}

/* Agree on the properties that must be equal on all ranks with nodes. Sets weight_count, directed and dimensions of the
 * graph; *edge_weights and *node_sizes become whether it has any. */
static pen_status check_alike(pen_graph *graph, const pen_csr *csr, bool *edge_weights, bool *node_sizes)
{
    enum { KINDS = 7 };
    int mine[2 * KINDS] = { 0 }, any[2 * KINDS];
    if (csr->count > 0) {
        const bool has[KINDS] = { csr->node_weights != NULL, csr->edge_weights != NULL, csr->directed,
                                  csr->node_sizes != NULL,   csr->dimensions == 1,      csr->dimensions == 2,
                                  csr->dimensions == 3 };
        for (int i = 0; i < KINDS; i++) mine[has[i] ? i : i + KINDS] = 1;
    }
    PEN_TRY(pen_all_reduce(graph->comm, mine, any, 2 * KINDS, MPI_INT, MPI_MAX));
    static const char *const what[KINDS] = { "node_weights", "edge_weights", "directed",    "node_sizes",
                                             "dimensions 1", "dimensions 2", "dimensions 3" };
    for (int i = 0; i < KINDS; i++)
        PEN_ARGUMENT(!(any[i] && any[i + KINDS]), "%s: given on some ranks and not on others", what[i]);
    graph->weight_count = any[0];
    graph->directed = any[2];
    *edge_weights = any[1];
    *node_sizes = any[3];
    for (int d = 1; d <= 3; d++) graph->dimensions = any[3 + d] ? d : graph->dimensions;
    return PEN_OK;
}

pen_status pen_graph_count(pen_graph *graph, pen_lid count, const pen_gid *gids)
{
    int64_t shuffled = 0;
    PEN_TRY(pen_sum_int(graph->comm, count, &graph->nodes));
    PEN_ARGUMENT(graph->nodes > 0, "the graph has no nodes");
    PEN_TRY(pen_prefix_int(graph->comm, count, &graph->first));
    for (pen_lid i = 0; i < count && !shuffled; i++) shuffled = gids[i] != graph->first + i;
    PEN_TRY(pen_max_int(graph->comm, shuffled, &shuffled));
    graph->dense = !shuffled;
    return PEN_OK;
}

static pen_status copy(void *to, const void *from, int64_t count)
{
    int64_t *block;
    PEN_TRY(PEN_ALLOC(&block, count));
    if (count > 0) memcpy(block, from, (size_t)count * sizeof *block);
    memcpy(to, &block, sizeof block);
    return PEN_OK;
}

static pen_status copy_rows(pen_graph *graph, const pen_csr *csr, bool edge_weights, bool node_sizes)
{
    static const int64_t no_rows[1] = { 0 };
    const int64_t *rows = csr->count > 0 ? csr->rows : no_rows;
    PEN_TRY(copy(&graph->rows, rows, (int64_t)csr->count + 1));
    PEN_TRY(copy(&graph->neighbors, csr->neighbors, rows[csr->count]));
    if (graph->weight_count) PEN_TRY(copy(&graph->node_weights, csr->node_weights, csr->count));
    if (node_sizes) PEN_TRY(copy(&graph->node_sizes, csr->node_sizes, csr->count));
    if (edge_weights) PEN_TRY(copy(&graph->edge_weights, csr->edge_weights, rows[csr->count]));
    if (graph->dimensions > 0)
        PEN_TRY(copy(&graph->coordinates, csr->coordinates, (int64_t)csr->count * graph->dimensions));
    if (!graph->dense) PEN_TRY(copy(&graph->gids, csr->gids, csr->count));
    graph->count = csr->count; /* set last, when the arrays are complete */
    return PEN_OK;
}

static pen_status from_csr(pen_graph *graph, pen_status mine, const pen_csr *csr)
{
    bool edge_weights = false, node_sizes = false;
    PEN_TRY(pen_agree(graph->comm, mine == PEN_OK ? check_rows(csr) : mine));
    PEN_TRY(check_alike(graph, csr, &edge_weights, &node_sizes));
    PEN_TRY(pen_graph_count(graph, csr->count, csr->gids));
    return pen_graph_validate(graph, copy_rows(graph, csr, edge_weights, node_sizes), NULL, NULL);
}

pen_status pen_graph_from_csr_abi(uint32_t abi, MPI_Comm comm, const pen_csr *mine, pen_graph **graph)
{
    PEN_WITHIN("pen_graph_from_csr");
    pen_csr csr = { .count = 0 };
    pen_graph *g;
    PEN_TRY(pen_graph_new(comm, &g));
    pen_status status = pen_given(graph, "the graph");
    if (status == PEN_OK) status = pen_abi_check(abi, PEN_ABI);
    if (status == PEN_OK) status = pen_given(mine, "the rows");
    if (status == PEN_OK) csr = *mine;
    status = from_csr(g, status, &csr);
    return pen_graph_finish(g, status, graph);
}
