/* file_graph.c - a graph in the form of its file. */
#include "tools/graph/file_graph.h"

void pen_file_graph_free(file_graph *g)
{
    PEN_FREE_ALL(g->rows, g->neighbors, g->node_weights, g->node_sizes, g->edge_weights, g->values, g->labels,
                 g->name_begins, g->names, g->part, g->coordinates);
    *g = (file_graph){ 0 };
}

int64_t pen_file_graph_edges(const file_graph *g)
{
    int64_t arcs = pen_file_graph_arcs(g), loops = 0;
    if (g->directed) return arcs;
    for (int64_t i = 0; i < g->nodes; i++)
        for (int64_t a = g->rows[i]; a < g->rows[i + 1]; a++) loops += g->neighbors[a] == i;
    return (arcs - loops) / 2 + loops;
}

pen_status pen_file_graph_transpose(file_graph *g, const pen_lid *order)
{
    int64_t arcs = pen_file_graph_arcs(g), *rows = NULL, *neighbors = NULL, *weights = NULL;
    double *values = NULL;
    pen_status status = PEN_ALLOC_ZERO(&rows, g->nodes + 2);
    if (status == PEN_OK) status = PEN_ALLOC(&neighbors, arcs);
    if (status == PEN_OK && g->edge_weights) status = PEN_ALLOC(&weights, arcs);
    if (status == PEN_OK && g->values) status = PEN_ALLOC(&values, arcs);
    if (status != PEN_OK) {
        PEN_FREE_ALL(rows, neighbors, weights, values);
        return status;
    }
    /* While rows are filled, rows[i+1] is the next free position of row i. */
    for (int64_t a = 0; a < arcs; a++) rows[g->neighbors[a] + 2]++;
    for (int64_t i = 0; i < g->nodes; i++) rows[i + 2] += rows[i + 1];
    for (int64_t k = 0; k < g->nodes; k++) {
        const int64_t i = order ? order[k] : k;
        for (int64_t a = g->rows[i]; a < g->rows[i + 1]; a++) {
            int64_t at = rows[g->neighbors[a] + 1]++;
            neighbors[at] = k;
            if (weights) weights[at] = g->edge_weights[a];
            if (values) values[at] = g->values[a];
        }
    }
    PEN_FREE_ALL(g->rows, g->neighbors, g->edge_weights, g->values);
    g->rows = rows;
    g->neighbors = neighbors;
    g->edge_weights = weights;
    g->values = values;
    return PEN_OK;
}
