/* file_graph.c - a graph in the form of its file. */
#include "tools/graph/file_graph.h"

void pen_file_graph_free(file_graph *g)
{
    PEN_FREE_ALL(g->rows, g->neighbors, g->node_weights, g->node_sizes, g->edge_weights, g->values, g->labels,
                 g->name_begins, g->names, g->part, g->coordinates);
    *g = (file_graph){ 0 };
}

pen_status pen_graph_room_resize(graph_room *room, int64_t rows, int64_t arcs)
{
    file_graph *g = room->g;
    PEN_TRY(PEN_REALLOC(&g->rows, rows + 1));
    if (room->has & HOLDS_LABELS) PEN_TRY(PEN_REALLOC(&g->labels, rows));
    if (room->has & HOLDS_SIZES) PEN_TRY(PEN_REALLOC(&g->node_sizes, rows));
    if (g->weight_count) PEN_TRY(PEN_REALLOC(&g->node_weights, rows * g->weight_count));
    PEN_TRY(PEN_REALLOC(&g->neighbors, arcs));
    if (room->has & HOLDS_EDGE_WEIGHTS) PEN_TRY(PEN_REALLOC(&g->edge_weights, arcs));
    room->rows = rows;
    room->arcs = arcs;
    return PEN_OK;
}

pen_status pen_graph_room_reserve(graph_room *room, int64_t rows, int64_t arcs, int64_t bytes)
{
    int64_t most = bytes / (room->has & HOLDS_EDGE_WEIGHTS ? 4 : 2);
    PEN_TRY(pen_graph_room_resize(room, rows, arcs < most ? arcs : most));
    room->g->rows[0] = 0;
    return PEN_OK;
}

static int64_t loops(const file_graph *g)
{
    int64_t count = 0;
    for (int64_t i = 0; i < g->nodes; i++)
        for (int64_t a = g->rows[i]; a < g->rows[i + 1]; a++) count += g->neighbors[a] == i;
    return count;
}

int64_t pen_file_graph_edges(const file_graph *g)
{
    int64_t arcs = pen_file_graph_arcs(g);
    if (g->directed) return arcs;
    int64_t single = loops(g);
    return (arcs - single) / 2 + single;
}

pen_status pen_file_graph_transpose(file_graph *g)
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
    for (int64_t i = 0; i < g->nodes; i++)
        for (int64_t a = g->rows[i]; a < g->rows[i + 1]; a++) {
            int64_t at = rows[g->neighbors[a] + 1]++;
            neighbors[at] = i;
            if (weights) weights[at] = g->edge_weights[a];
            if (values) values[at] = g->values[a];
        }
    PEN_FREE_ALL(g->rows, g->neighbors, g->edge_weights, g->values);
    g->rows = rows;
    g->neighbors = neighbors;
    g->edge_weights = weights;
    g->values = values;
    return PEN_OK;
}

pen_status pen_weight_add(int64_t *weight, int64_t more)
{
    const int64_t most = INT64_C(999999999999999999), sum = *weight + more;
    if (sum > most || sum < -most)
        return pen_fail(PEN_ERR_INPUT, "the weights of an edge add up to a number of more than 18 digits");
    *weight = sum;
    return PEN_OK;
}

bool pen_file_notes_lossy(const file_notes *notes) { return notes->loops || notes->conflicts || notes->values; }

unsigned pen_file_graph_needs(const file_graph *g)
{
    unsigned needs = 0;
    int64_t arcs = pen_file_graph_arcs(g);
    if (g->weight_count > 0) needs |= HOLDS_NODE_WEIGHT;
    if (g->weight_count > 1) needs |= HOLDS_NODE_WEIGHTS;
    if (g->node_sizes) needs |= HOLDS_SIZES;
    if (g->edge_weights) needs |= HOLDS_EDGE_WEIGHTS;
    if (g->labels) needs |= HOLDS_LABELS;
    if (g->names) needs |= HOLDS_NAMES;
    if (g->part) needs |= HOLDS_PARTS;
    if (g->directed) needs |= HOLDS_DIRECTED;
    if (g->width > 0) needs |= HOLDS_GRID;
    if (g->dimensions > 0) needs |= HOLDS_COORDINATES;
    if (g->nodes == 0) needs |= HOLDS_NO_NODES;
    if (arcs == 0) needs |= HOLDS_NO_EDGES;
    for (int64_t i = 0; i < g->nodes; i++) {
        if (g->rows[i] == g->rows[i + 1]) needs |= HOLDS_ISOLATED;
        for (int64_t a = g->rows[i]; a < g->rows[i + 1]; a++) {
            if (g->neighbors[a] == i) needs |= HOLDS_LOOPS;
            if (a > g->rows[i] && g->neighbors[a] < g->neighbors[a - 1]) needs |= HOLDS_ORDER;
        }
    }
    for (int64_t k = 0; k < g->nodes * g->weight_count; k++)
        if (g->node_weights[k] <= 0)
            needs |= g->node_weights[k] == 0 ? HOLDS_ZERO_NODE_WEIGHTS : HOLDS_NEGATIVE_NODE_WEIGHTS;
    for (int64_t a = 0; g->edge_weights && a < arcs; a++)
        if (g->edge_weights[a] < 1) needs |= HOLDS_ANY_EDGE_WEIGHTS;
    return needs;
}
