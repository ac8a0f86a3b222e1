/* repair.c - repairs loops, duplicates and missing reverses. */
#include "tools/graph/arcs.h"
#include "tools/graph/examine.h"

#include <stdlib.h>

/* Set drop[k] for the arcs of row i that are dropped, and count them. Further arcs to a neighbour are merged into the
 * first one. */
static pen_status mark(file_graph *g, int64_t i, unsigned holds, row_entry *entries, bool *drop)
{
    int64_t begin = g->rows[i], degree = g->rows[i + 1] - begin;
    pen_file_graph_sort_row(g, i, entries);
    for (int64_t k = 0, first = 0; k < degree; k++) {
        int64_t arc = begin + entries[k].index;
        bool loop = entries[k].neighbor == i && !(holds & HOLDS_LOOPS);
        bool again = !loop && k > 0 && entries[k].neighbor == entries[k - 1].neighbor && !(holds & HOLDS_DUPLICATES);
        drop[entries[k].index] = loop || again;
        g->notes.loops += loop;
        g->notes.duplicates += again;
        if (!again) first = arc;
        else if (g->rule == WEIGHT_SUM) PEN_TRY(pen_arcs_add(g, first, arc));
        else pen_arcs_combine(g, first, arc);
    }
    return PEN_OK;
}

static pen_status squeeze(file_graph *g, unsigned holds, row_entry *entries, bool *drop)
{
    int64_t kept = 0, begin = 0;
    for (int64_t i = 0; i < g->nodes; i++) {
        int64_t end = g->rows[i + 1];
        g->rows[i] = begin;
        PEN_TRY(mark(g, i, holds, entries, drop));
        for (int64_t a = begin; a < end; a++) {
            if (drop[a - begin]) continue;
            g->neighbors[kept] = g->neighbors[a];
            if (g->edge_weights) g->edge_weights[kept] = g->edge_weights[a];
            if (g->values) g->values[kept] = g->values[a];
            kept++;
        }
        g->rows[i] = kept; /* the row's end, which is moved to rows[i+1] below */
        begin = end;
    }
    for (int64_t i = g->nodes; i > 0; i--) g->rows[i] = g->rows[i - 1];
    g->rows[0] = 0;
    return PEN_OK;
}

typedef struct addition {
    int64_t from, to, weight;
    double value;
} addition;

typedef struct additions {
    file_graph *g;
    addition *list;
    int64_t count, capacity;
} additions;

static pen_status add_reverse(void *context, int64_t from, int64_t arc, int64_t reverse)
{
    additions *all = context;
    file_graph *g = all->g;
    if (reverse >= 0) {
        int64_t *here = &g->edge_weights[arc], *back = &g->edge_weights[reverse];
        bool smaller = *back<*here, larger = *back> * here;
        if (pen_weight_replaces(g->rule, smaller, larger)) *here = *back;
        *back = *here;
        g->notes.conflicts++;
        return PEN_OK;
    }
    PEN_TRY(pen_reserve(&all->list, sizeof *all->list, all->count + 1, &all->capacity));
    all->list[all->count++] = (addition){ g->neighbors[arc], from, g->edge_weights ? g->edge_weights[arc] : 1,
                                          g->values ? g->values[arc] : 0.0 };
    g->notes.one_way++;
    return PEN_OK;
}

/* Insert the missing arcs, from the last row on, so that nothing is overwritten before it has moved. */
static pen_status insert(additions *all)
{
    file_graph *g = all->g;
    int64_t arcs = pen_file_graph_arcs(g), left = all->count;
    qsort(all->list, (size_t)left, sizeof *all->list, pen_by_gids);
    PEN_TRY(PEN_REALLOC(&g->neighbors, arcs + left));
    if (g->edge_weights) PEN_TRY(PEN_REALLOC(&g->edge_weights, arcs + left));
    if (g->values) PEN_TRY(PEN_REALLOC(&g->values, arcs + left));
    for (int64_t i = g->nodes - 1, end = arcs; i >= 0 && left > 0; i--) {
        int64_t begin = g->rows[i];
        g->rows[i + 1] = end + left;
        for (; left > 0 && all->list[left - 1].from == i; left--) {
            g->neighbors[end + left - 1] = all->list[left - 1].to;
            if (g->edge_weights) g->edge_weights[end + left - 1] = all->list[left - 1].weight;
            if (g->values) g->values[end + left - 1] = all->list[left - 1].value;
        }
        size_t bytes = (size_t)(end - begin) * sizeof(int64_t);
        memmove(g->neighbors + begin + left, g->neighbors + begin, bytes);
        if (g->edge_weights) memmove(g->edge_weights + begin + left, g->edge_weights + begin, bytes);
        if (g->values) memmove(g->values + begin + left, g->values + begin, bytes);
        end = begin;
    }
    return PEN_OK;
}

pen_status pen_file_graph_repair(file_graph *g, unsigned holds)
{
    graph_faults faults;
    PEN_TRY(pen_file_graph_faults(g, &faults));
    if ((faults.loops && !(holds & HOLDS_LOOPS)) || (faults.duplicates && !(holds & HOLDS_DUPLICATES))) {
        int64_t longest = pen_file_graph_longest_row(g);
        row_entry *entries = NULL;
        bool *drop = NULL;
        pen_status status = PEN_ALLOC(&entries, longest);
        if (status == PEN_OK) status = PEN_ALLOC(&drop, longest);
        if (status == PEN_OK) status = squeeze(g, holds, entries, drop);
        PEN_FREE_ALL(entries, drop);
        PEN_TRY(status);
        /* A dropped arc may have been the reverse of another one, so faults are found again. */
        PEN_TRY(pen_file_graph_faults(g, &faults));
    }
    if (!faults.reverses || g->directed) return PEN_OK;
    additions all = { .g = g };
    pen_status status = pen_file_graph_unmatched(g, add_reverse, &all);
    if (status == PEN_OK && all.count > 0) status = insert(&all);
    free(all.list);
    return status;
}
