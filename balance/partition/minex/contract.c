/* contract.c - contracts a graph by pairing vertices. */
#include "partition/minex/contract.h"
#include "base/memory.h"

#include <float.h>
#include <stdlib.h>

typedef struct coarse_arrays {
    int64_t *rows;
    int32_t *columns, *owners;
    double *work, *size, *reads, *feeds;
} coarse_arrays;

/* The free neighbour that shares most with v in relation to the smaller of the two sizes; -1: none. */
static int32_t find_mate(const pen_minex_graph *g, const int32_t *into, int32_t v, double heaviest)
{
    int32_t mate = -1;
    double best = 0.0;
    for (int64_t k = g->rows[v]; k < g->rows[v + 1]; k++) {
        int32_t w = g->columns[k];
        if (into[w] >= 0 || g->owners[w] != g->owners[v] || g->work[v] + g->work[w] > heaviest) continue;
        double smaller = g->size[v] < g->size[w] ? g->size[v] : g->size[w];
        double shared = (g->reads[k] + g->feeds[k]) / (smaller > 0.0 ? smaller : DBL_MIN);
        if (shared <= best) continue;
        best = shared;
        mate = w;
    }
    return mate;
}

/* Pair vertices: set into[v] of all vertices, and return the number of coarse vertices. `members` lists the pairs; the
 * second member is -1 if there is none. */
static int32_t match(const pen_minex_graph *g, const int32_t *order, double heaviest, int32_t *into, int32_t *members)
{
    int32_t count = 0;
    for (int32_t v = 0; v < g->count; v++) into[v] = -1;
    for (int32_t i = 0; i < g->count; i++) {
        int32_t v = order[i];
        if (into[v] >= 0) continue;
        into[v] = count;
        int32_t mate = find_mate(g, into, v, heaviest);
        if (mate >= 0) into[mate] = count;
        members[2 * count] = v;
        members[2 * count + 1] = mate;
        count++;
    }
    return count;
}

static void draw_order(int32_t count, uint64_t seed, int32_t *order)
{
    for (int32_t i = 0; i < count; i++) order[i] = i;
    for (int32_t i = count - 1; i > 0; i--) {
        int32_t k = (int32_t)pen_below(pen_mix(seed + (uint64_t)i), (int64_t)i + 1), kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
}

/* Make the rows of the coarse graph: arcs to the same vertex add up, arcs within a vertex are dropped. */
static int64_t add_rows(const level *fine, const int32_t *members, int32_t count, int64_t *places, coarse_arrays *c)
{
    const pen_minex_graph *g = &fine->graph;
    int64_t arcs = 0;
    for (int32_t v = 0; v < count; v++) places[v] = -1;
    for (int32_t v = 0; v < count; v++) {
        int64_t first = c->rows[v] = arcs;
        for (int i = 0; i < 2 && members[2 * v + i] >= 0; i++) {
            int32_t member = members[2 * v + i];
            c->work[v] = (i == 0 ? 0.0 : c->work[v]) + g->work[member];
            c->size[v] = (i == 0 ? 0.0 : c->size[v]) + g->size[member];
            c->owners[v] = g->owners[member];
            for (int64_t k = g->rows[member]; k < g->rows[member + 1]; k++) {
                int32_t w = fine->into[g->columns[k]];
                if (w == v) continue;
                int64_t at = places[w];
                if (at < first) {
                    at = places[w] = arcs++;
                    c->columns[at] = w;
                    c->reads[at] = c->feeds[at] = 0.0;
                }
                c->reads[at] += g->reads[k];
                c->feeds[at] += g->feeds[k];
            }
        }
    }
    c->rows[count] = arcs;
    return arcs;
}

static pen_status make_coarse(const level *fine, const int32_t *members, int32_t count, level *coarse)
{
    coarse_arrays c = { 0 };
    int64_t *places = NULL, arcs = fine->graph.rows[fine->graph.count];
    pen_status status = PEN_ALLOC(&c.rows, count + 1);
    if (status == PEN_OK) status = PEN_ALLOC(&c.work, count);
    if (status == PEN_OK) status = PEN_ALLOC(&c.size, count);
    if (status == PEN_OK) status = PEN_ALLOC(&c.owners, count);
    if (status == PEN_OK) status = PEN_ALLOC(&c.columns, arcs);
    if (status == PEN_OK) status = PEN_ALLOC(&c.reads, arcs);
    if (status == PEN_OK) status = PEN_ALLOC(&c.feeds, arcs);
    if (status == PEN_OK) status = PEN_ALLOC(&places, count);
    if (status == PEN_OK && fine->data) status = PEN_ALLOC_ZERO(&coarse->data, count);
    if (status == PEN_OK) {
        add_rows(fine, members, count, places, &c);
        for (int32_t v = 0; fine->data && v < fine->graph.count; v++) coarse->data[fine->into[v]] += fine->data[v];
    }
    free(places);
    coarse->graph = (pen_minex_graph){ count, c.rows, c.columns, c.work, c.size, c.reads, c.feeds, c.owners };
    return status;
}

pen_status pen_minex_contract(level *fine, double heaviest, uint64_t seed, level *coarse)
{
    int32_t nodes = fine->graph.count, *order = NULL, *members = NULL;
    *coarse = (level){ .into = NULL };
    pen_status status = PEN_ALLOC(&fine->into, nodes);
    if (status == PEN_OK) status = PEN_ALLOC(&order, nodes);
    if (status == PEN_OK) status = PEN_ALLOC(&members, 2 * (int64_t)nodes);
    if (status == PEN_OK) {
        draw_order(nodes, seed, order);
        int32_t count = match(&fine->graph, order, heaviest, fine->into, members);
        status = make_coarse(fine, members, count, coarse);
    }
    PEN_FREE_ALL(order, members);
    return status;
}

void pen_minex_level_free(level *l, bool finest)
{
    const pen_minex_graph *g = &l->graph;
    PEN_FREE_ALL(l->data, l->into);
    if (finest) return;
    PEN_FREE_ALL((void *)g->rows, (void *)g->columns, (void *)g->work, (void *)g->size, (void *)g->reads,
                 (void *)g->feeds, (void *)g->owners);
}
