/* lose.c - drops properties that a format cannot hold. */
#include "tools/graph/lose.h"
#include "base/xml.h"
#include "tools/graph/examine.h"

#include <stdlib.h>

/* The HOLDS_... bits of the graph's properties, without HOLDS_DUPLICATES. */
static unsigned needs_of(const file_graph *g)
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
    unsigned needs = needs_of(g);
    if (!(holds & HOLDS_DUPLICATES)) {
        graph_faults faults;
        PEN_TRY(pen_file_graph_faults(g, &faults));
        if (faults.duplicates) needs |= HOLDS_DUPLICATES;
    }
    for (int64_t i = 0; g->names && (holds & HOLDS_NAMES) && i < g->nodes; i++)
        if (!pen_xml_holds(pen_file_graph_name(g, i))) needs |= HOLDS_ANY_NAMES;
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
        { HOLDS_ANY_NAMES, "control characters, and bytes that are not UTF-8, in names" },
    };
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < PEN_COUNT_OF(names) && used < size; i++)
        if (losses & names[i].bit)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", names[i].name);
}

/* Free an array; `array` is the address of its pointer, of any type. */
static void drop(void *array)
{
    void *memory, *const none = NULL;
    memcpy(&memory, array, sizeof memory);
    free(memory);
    memcpy(array, &none, sizeof none);
}

pen_status pen_file_graph_lose(file_graph *g, unsigned holds, unsigned losses)
{
    if (losses & HOLDS_EMPTY)
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
        drop(&g->names);
    }
    if (losses & HOLDS_PARTS) drop(&g->part);
    if (losses & HOLDS_COORDINATES) {
        drop(&g->coordinates);
        g->dimensions = 0;
    }
    if (losses & HOLDS_GRID) {
        g->grid = PEN_GRID_NONE;
        g->width = g->height = g->depth = 0;
    }
    const bool directed = g->directed;
    if (losses & HOLDS_DIRECTED) g->directed = false;
    if (losses & (HOLDS_DIRECTED | HOLDS_LOOPS | HOLDS_DUPLICATES)) PEN_TRY(pen_file_graph_repair(g, holds));
    if ((losses & HOLDS_DUPLICATES) && !directed) { /* every edge was counted in both of its rows */
        g->notes.duplicates /= 2;
        g->notes.conflicts /= 2;
    }
    return PEN_OK;
}
