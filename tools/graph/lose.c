/* lose.c - drops properties that a format cannot hold. */
#include "tools/graph/lose.h"
#include "tools/graph/examine.h"

#include <stdlib.h>

/* Whether every node of a directed graph has an arc from or to it. */
static pen_status all_have_arcs(const file_graph *g, bool *all)
{
    bool *reached;
    PEN_TRY(PEN_ALLOC_ZERO(&reached, g->nodes));
    for (int64_t a = 0; a < pen_file_graph_arcs(g); a++) reached[g->neighbors[a]] = true;
    *all = true;
    for (int64_t i = 0; i < g->nodes && *all; i++) *all = reached[i] || g->rows[i] < g->rows[i + 1];
    free(reached);
    return PEN_OK;
}

pen_status pen_file_graph_losses(const file_graph *g, unsigned holds, unsigned *losses)
{
    unsigned needs = pen_file_graph_needs(g);
    if (!(holds & HOLDS_DUPLICATES)) {
        graph_faults faults;
        PEN_TRY(pen_file_graph_faults(g, &faults));
        if (faults.duplicates) needs |= HOLDS_DUPLICATES;
    }
    bool all = false;
    if (g->directed && (needs & ~holds & HOLDS_ISOLATED)) PEN_TRY(all_have_arcs(g, &all));
    if (all) needs &= ~(unsigned)HOLDS_ISOLATED;
    *losses = needs & ~holds;
    return PEN_OK;
}

void pen_losses_text(unsigned losses, char *text, size_t size)
{
    static const struct {
        unsigned bit;
        const char *name;
    } names[] = {
        { HOLDS_NODE_WEIGHT, "node weights" },
        { HOLDS_NODE_WEIGHTS, "several weights per node" },
        { HOLDS_SIZES, "node sizes" },
        { HOLDS_EDGE_WEIGHTS, "edge weights" },
        { HOLDS_LABELS, "labels" },
        { HOLDS_DIRECTED, "directions" },
        { HOLDS_ISOLATED, "isolated nodes" },
        { HOLDS_LOOPS, "loops" },
        { HOLDS_DUPLICATES, "parallel edges" },
        { HOLDS_COORDINATES, "coordinates" },
        { HOLDS_ZERO_NODE_WEIGHTS, "node weights of 0" },
        { HOLDS_NEGATIVE_NODE_WEIGHTS, "negative node weights" },
        { HOLDS_ANY_EDGE_WEIGHTS, "edge weights below 1" },
        { HOLDS_NO_NODES, "a graph without nodes" },
        { HOLDS_NO_EDGES, "a graph without edges" },
        { HOLDS_ORDER, "the order of neighbours, now ascending as in every run" },
        { HOLDS_GRID, "width and height of the grid" },
        { HOLDS_NAMES, "names of nodes" },
        { HOLDS_PARTS, "parts" },
    };
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < PEN_COUNT_OF(names) && used < size; i++)
        if (losses & names[i].bit)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", names[i].name);
}

static void drop(int64_t **array)
{
    free(*array);
    *array = NULL;
}

pen_status pen_file_graph_lose(file_graph *g, unsigned holds, unsigned losses)
{
    if (losses & (HOLDS_NO_NODES | HOLDS_NO_EDGES))
        return pen_fail(PEN_ERR_INPUT, "the format cannot hold a graph without %s",
                        losses & HOLDS_NO_NODES ? "nodes" : "edges");
    if (losses & HOLDS_NODE_WEIGHTS) {
        for (int64_t i = 0; i < g->nodes; i++) g->node_weights[i] = g->node_weights[i * g->weight_count];
        g->weight_count = 1;
    }
    if (losses & (HOLDS_NODE_WEIGHT | HOLDS_ZERO_NODE_WEIGHTS | HOLDS_NEGATIVE_NODE_WEIGHTS)) {
        drop(&g->node_weights);
        g->weight_count = 0;
    }
    if (losses & HOLDS_SIZES) drop(&g->node_sizes);
    if (losses & (HOLDS_EDGE_WEIGHTS | HOLDS_ANY_EDGE_WEIGHTS)) drop(&g->edge_weights);
    if (losses & HOLDS_LABELS) drop(&g->labels);
    if (losses & HOLDS_NAMES) {
        drop(&g->name_begins);
        free(g->names);
        g->names = NULL;
    }
    if (losses & HOLDS_PARTS) {
        free(g->part);
        g->part = NULL;
    }
    if (losses & HOLDS_COORDINATES) {
        free(g->coordinates);
        g->coordinates = NULL;
        g->dimensions = 0;
    }
    if (losses & HOLDS_GRID) {
        g->grid = PEN_GRID_NONE;
        g->width = g->height = g->depth = 0;
    }
    if (losses & HOLDS_DIRECTED) g->directed = false;
    if (losses & (HOLDS_DIRECTED | HOLDS_LOOPS | HOLDS_DUPLICATES)) return pen_file_graph_repair(g, holds);
    return PEN_OK;
}
