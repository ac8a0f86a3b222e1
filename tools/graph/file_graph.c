#include "tools/graph/file_graph.h"

#include <stdlib.h>

void pen_file_graph_free(file_graph *g)
{
    free(g->rows);
    free(g->neighbors);
    free(g->node_weights);
    free(g->node_sizes);
    free(g->edge_weights);
    free(g->labels);
    free(g->coordinates);
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
