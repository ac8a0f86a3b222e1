#include "tools/graph/quality.h"
#include "base/memory.h"

#include <stdlib.h>

static int64_t root(int64_t *parent, int64_t node)
{
    while (parent[node] != node) node = parent[node] = parent[parent[node]];
    return node;
}

/* By union-find: works for directed graphs too. */
static pen_status count_pieces(const pen_graph *g, int parts, const int32_t *part, int64_t *pieces)
{
    int64_t *parent;
    bool *used = NULL;
    PEN_TRY(PEN_ALLOC(&parent, g->nodes));
    pen_status status = PEN_ALLOC_ZERO(&used, parts);
    *pieces = g->nodes;
    for (int64_t u = 0; u < g->nodes; u++) parent[u] = u;
    for (int64_t u = 0; u < g->nodes && status == PEN_OK; u++) {
        for (int64_t k = g->rows[u]; k < g->rows[u + 1]; k++) {
            if (part[u] != part[g->neighbors[k]]) continue;
            int64_t x = root(parent, u), y = root(parent, g->neighbors[k]);
            if (x == y) continue;
            parent[x] = y;
            --*pieces;
        }
        *pieces -= !used[part[u]];
        used[part[u]] = true;
    }
    free(used);
    free(parent);
    return status;
}

/* Nodes by part: order[begin[p] .. begin[p+1]-1]. `begin` is zero. */
static void sort_by_part(const pen_graph *g, int parts, const int32_t *part, int64_t *begin, int64_t *order)
{
    for (int64_t u = 0; u < g->nodes; u++) begin[part[u]]++;
    for (int p = 1; p <= parts; p++) begin[p] += begin[p - 1];
    for (int64_t u = g->nodes; u-- > 0;) order[--begin[part[u]]] = u;
}

/* seen[v] is the last part that was found to need v, and one. */
static int64_t find_max_volume(const pen_graph *g, int parts, const int32_t *part, const int64_t *begin,
                               const int64_t *order, int32_t *seen)
{
    int64_t most = 0;
    for (int32_t p = 0; p < parts; p++) {
        int64_t volume = 0;
        for (int64_t i = begin[p]; i < begin[p + 1]; i++)
            for (int64_t k = g->rows[order[i]]; k < g->rows[order[i] + 1]; k++) {
                int64_t v = g->neighbors[k];
                if (part[v] == p || seen[v] == p + 1) continue;
                seen[v] = p + 1;
                volume++;
            }
        if (volume > most) most = volume;
    }
    return most;
}

static pen_status measure_volume(const pen_graph *g, int parts, const int32_t *part, int64_t *most)
{
    int64_t *begin, *order = NULL;
    int32_t *seen = NULL;
    PEN_TRY(PEN_ALLOC_ZERO(&begin, (int64_t)parts + 1));
    pen_status status = PEN_ALLOC(&order, g->nodes);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&seen, g->nodes);
    if (status == PEN_OK) {
        sort_by_part(g, parts, part, begin, order);
        *most = find_max_volume(g, parts, part, begin, order, seen);
    }
    free(begin);
    free(order);
    free(seen);
    return status;
}

static pen_status measure_load(const pen_graph *g, int parts, const int32_t *part, part_quality *quality)
{
    int64_t *load, heaviest = 0, total = 0, most = 0;
    PEN_TRY(PEN_ALLOC_ZERO(&load, parts));
    for (pen_lid u = 0; u < g->count; u++) {
        int64_t weight = pen_graph_load(g, u);
        total += weight;
        if (weight > heaviest) heaviest = weight;
        load[part[u]] += weight;
        if (load[part[u]] > most) most = load[part[u]];
    }
    free(load);
    double mean = (double)total / parts;
    quality->imbalance = total > 0 ? (double)most / mean : 1.0;
    quality->bound = (double)heaviest > mean ? (double)heaviest / mean : 1.0;
    return PEN_OK;
}

pen_status part_quality_measure(const pen_graph *graph, int parts, const int32_t *part, part_quality *quality)
{
    int64_t cut = 0;
    for (int64_t u = 0; u < graph->nodes; u++)
        for (int64_t k = graph->rows[u]; k < graph->rows[u + 1]; k++)
            if (part[u] != part[graph->neighbors[k]]) cut += graph->edge_weights ? graph->edge_weights[k] : 1;
    quality->cut = graph->directed ? cut : cut / 2;
    PEN_TRY(measure_load(graph, parts, part, quality));
    PEN_TRY(measure_volume(graph, parts, part, &quality->max_volume));
    return count_pieces(graph, parts, part, &quality->pieces);
}
