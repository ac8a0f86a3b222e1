/* library.c - moves graphs between the tool and the library. */
#include "tools/graph/library.h"
#include "graph/validate.h"
#include "tools/graph/labels.h"

static pen_status number_neighbors(file_graph *g)
{
    label_index index;
    PEN_TRY(pen_label_index_create(g, 0, &index));
    /* Validation guarantees that the label exists. */
    for (int64_t k = 0; k < g->rows[g->nodes]; k++) g->neighbors[k] = pen_label_index_find(&index, g->neighbors[k]);
    pen_label_index_free(&index);
    return PEN_OK;
}

pen_status pen_library_check_labels(const file_graph *g, const char *path)
{
    for (int64_t i = 0; g->labels && i < g->nodes; i++)
        if (g->labels[i] < 0)
            return pen_fail(PEN_ERR_INPUT, "%s: node %" PRId64 " has the label %" PRId64 ", must be at least 0", path,
                            i + 1, g->labels[i]);
    return PEN_OK;
}

static void name_row(const void *context, pen_lid row, char *text, size_t size)
{
    snprintf(text, size, "node %" PRId64, (int64_t)row + 1);
}

static void move(file_graph *g, bool with_labels, pen_graph *graph)
{
    graph->nodes = g->nodes;
    graph->directed = g->directed;
    graph->dense = !with_labels;
    graph->rows = g->rows;
    graph->neighbors = g->neighbors;
    graph->weight_count = (int)g->weight_count;
    graph->node_weights = g->node_weights;
    graph->node_sizes = g->node_sizes;
    graph->edge_weights = g->edge_weights;
    if (with_labels || !g->labels) {
        graph->width = g->width;
        graph->height = g->height;
        graph->depth = g->depth;
        graph->grid = g->grid;
    }
    graph->dimensions = g->dimensions;
    graph->coordinates = g->coordinates;
    if (with_labels) graph->gids = g->labels;
    *g = (file_graph){ .nodes = g->nodes,
                       .base = g->base,
                       .labels = with_labels ? NULL : g->labels,
                       .name_begins = g->name_begins,
                       .names = g->names,
                       .values = g->values };
}

pen_status pen_library_take(file_graph *g, bool with_labels, pen_graph **graph)
{
    pen_graph *made;
    PEN_TRY(pen_graph_new(MPI_COMM_SELF, &made));
    with_labels = with_labels && g->labels;
    pen_status status = pen_to_lid(g->nodes, "nodes", &made->count);
    if (status == PEN_OK && g->nodes == 0) status = pen_fail(PEN_ERR_INPUT, "the graph has no nodes");
    int weights;
    if (status == PEN_OK) status = pen_to_int(g->weight_count, "weights per node", &weights);
    if (status == PEN_OK && with_labels)
        for (int64_t k = 0; k < g->rows[g->nodes]; k++) g->neighbors[k] = g->labels[g->neighbors[k]];
    move(g, with_labels, made);
    if (status == PEN_OK) status = pen_graph_validate(made, PEN_OK, with_labels ? NULL : name_row, NULL);
    if (status == PEN_OK) *graph = made;
    else pen_graph_destroy(&made);
    return status;
}

pen_status pen_library_give(pen_graph **graph, file_graph *g)
{
    pen_graph *from = *graph;
    *g = (file_graph){ .nodes = from->nodes,
                       .rows = from->rows,
                       .neighbors = from->neighbors,
                       .weight_count = from->weight_count,
                       .node_weights = from->node_weights,
                       .node_sizes = from->node_sizes,
                       .edge_weights = from->edge_weights,
                       .labels = from->gids,
                       .width = from->width,
                       .height = from->height,
                       .depth = from->depth,
                       .grid = from->grid,
                       .dimensions = from->dimensions,
                       .coordinates = from->coordinates,
                       .directed = from->directed,
                       .rule = g->rule };
    from->rows = NULL;
    from->neighbors = from->node_weights = from->node_sizes = from->edge_weights = from->gids = NULL;
    from->coordinates = NULL;
    pen_graph_destroy(graph);
    return g->labels ? number_neighbors(g) : PEN_OK;
}
