#include "tools/graph/examine.h"
#include "tools/graph/faults.h"

#include <stdlib.h>

static void find_loops(const file_graph *g, findings *f)
{
    for (int64_t i = 0; i < g->nodes; i++)
        for (int64_t a = g->rows[i]; a < g->rows[i + 1]; a++)
            if (g->neighbors[a] == i)
                pen_findings_add_arc(f, FINDING_ERROR, a, "node %" PRId64 " is its own neighbour",
                                     pen_file_graph_label(g, i));
}

static pen_status find_duplicates(const file_graph *g, findings *f)
{
    row_entry *entries;
    PEN_TRY(PEN_ALLOC(&entries, pen_file_graph_longest_row(g)));
    for (int64_t i = 0; i < g->nodes; i++) {
        int64_t degree = g->rows[i + 1] - g->rows[i];
        pen_file_graph_sort_row(g, i, entries);
        for (int64_t k = 1; k < degree; k++)
            if (entries[k].neighbor == entries[k - 1].neighbor && entries[k].neighbor != i)
                pen_findings_add_arc(f, FINDING_ERROR, g->rows[i] + entries[k].index,
                                     "node %" PRId64 " has neighbour %" PRId64 " more than once",
                                     pen_file_graph_label(g, i), pen_file_graph_label(g, entries[k].neighbor));
    }
    free(entries);
    return PEN_OK;
}

typedef struct unmatched {
    const file_graph *g;
    findings *f;
} unmatched;

static pen_status add_unmatched(void *context, int64_t from, int64_t arc, int64_t reverse)
{
    const unmatched *u = context;
    int64_t x = pen_file_graph_label(u->g, from), y = pen_file_graph_label(u->g, u->g->neighbors[arc]);
    if (reverse < 0)
        pen_findings_add_arc(u->f, FINDING_ERROR, arc,
                             "node %" PRId64 " has neighbour %" PRId64 ", but node %" PRId64
                             " does not have neighbour %" PRId64,
                             x, y, y, x);
    else
        pen_findings_add_arc(u->f, FINDING_ERROR, arc,
                             "the edge of nodes %" PRId64 " and %" PRId64 " has weight %" PRId64 " here and %" PRId64
                             " there",
                             x, y, u->g->edge_weights[arc], u->g->edge_weights[reverse]);
    return PEN_OK;
}

static void find_large_sum(const int64_t *values, int64_t count, int64_t stride, const char *what, findings *f)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t value = values[i * stride];
        if (value > 0 ? sum > INT64_MAX - value : sum < INT64_MIN - value) {
            pen_findings_add(f, FINDING_ERROR, 0, 0, "the sum of %s does not fit 64 bits", what);
            return;
        }
        sum += value;
    }
}

pen_status pen_file_graph_examine(const file_graph *g, unsigned holds, findings *f)
{
    graph_faults faults;
    PEN_TRY(pen_file_graph_faults(g, &faults));
    if (faults.loops && !(holds & HOLDS_LOOPS)) find_loops(g, f);
    if (faults.duplicates && !(holds & HOLDS_DUPLICATES)) PEN_TRY(find_duplicates(g, f));
    if (faults.reverses && !g->directed) PEN_TRY(pen_file_graph_unmatched(g, add_unmatched, &(unmatched){ g, f }));
    for (int64_t k = 0; k < g->weight_count; k++)
        find_large_sum(g->node_weights + k, g->nodes, g->weight_count, "node weights", f);
    if (g->node_sizes) find_large_sum(g->node_sizes, g->nodes, 1, "node sizes", f);
    if (g->edge_weights) find_large_sum(g->edge_weights, pen_file_graph_arcs(g), 1, "edge weights", f);
    return PEN_OK;
}
