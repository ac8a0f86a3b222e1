/* order.c - measures and makes orders of nodes in memory. */
#include "graph/order.h"
#include "base/memory.h"

#include <stdlib.h>

enum { LINE = 64 };

PEN_PER_RANK int64_t pen_order_cache = 256 << 10;

/* ---- Quality of an order --------------------------------------------------------------------- */

/* A model of a cache: the blocks of records that were read last. A block's hash selects a pair of entries, so that no
 * stride is unlucky; the more recent block is first. */
typedef struct cache {
    int64_t record, block; /* bytes of a node's record, and of a block */
    uint64_t pairs;
    int64_t *blocks; /* [2*pairs] numbers of the cached blocks, -1: none */
} cache;

static int64_t *pair_of(const cache *c, int64_t block)
{
    return c->blocks + 2 * ((pen_mix((uint64_t)block) >> 32) * c->pairs >> 32);
}

/* Whether the processor has to wait for a record. Records shortly after recently read ones are prefetched. */
static bool misses(cache *c, pen_lid place)
{
    int64_t block = place * c->record / c->block, *pair = pair_of(c, block);
    if (pair[0] == block) return false;
    bool missing = pair[1] != block;
    pair[1] = pair[0];
    pair[0] = block;
    if (!missing) return false;
    const int64_t *before = pair_of(c, block - 1);
    return before[0] != block - 1 && before[1] != block - 1;
}

/* Invert a permutation: place[order[k]] = k. */
static pen_status invert(pen_lid count, const pen_lid *order, pen_lid **place)
{
    PEN_TRY(PEN_ALLOC(place, count));
    for (pen_lid k = 0; k < count; k++) (*place)[order[k]] = k;
    return PEN_OK;
}

/* Simulate a sweep over the nodes in places [first, end). */
static void sweep(const pen_order_graph *g, const pen_lid *order, pen_lid first, pen_lid end, cache *c,
                  const pen_lid *place, pen_locality *l)
{
    enum { LOOK = 1 << 15 }; /* places after which a bad order is recognised */
    int64_t missed = 0, span = 0, arcs = 0;
    pen_lid k = first;
    for (; k < end; k++) {
        pen_lid node = order ? order[k] : k;
        missed += misses(c, k);
        for (uint32_t a = g->rows[node]; a < g->rows[node + 1]; a++) {
            if (g->columns[a] >= g->count) continue;
            pen_lid to = place ? place[g->columns[a]] : g->columns[a];
            arcs++;
            missed += misses(c, to);
            span += to < k ? k - to : to - k;
        }
        if ((k - first) % LOOK == LOOK - 1 && missed * 4 > arcs) break;
    }
    if (arcs == 0) return;
    l->span = (double)span / (double)arcs;
    l->misses = (double)missed / (double)arcs;
}

pen_status pen_order_measure(const pen_order_graph *g, const pen_lid *order, size_t record, pen_locality *locality)
{
    enum { SHARE = 32, FEW = 1 << 13 };
    cache c = { .record = record > 0 ? (int64_t)record : 1 };
    c.block = c.record > LINE ? c.record : LINE;
    c.pairs = (uint64_t)(pen_order_cache / (2 * c.block) + 1);
    pen_lid *place = NULL, part = order && g->count / SHARE > FEW ? g->count / SHARE : g->count;
    *locality = (pen_locality){ 0.0, 0.0 };
    pen_status status = PEN_ALLOC(&c.blocks, 2 * (int64_t)c.pairs);
    if (status == PEN_OK && order) status = invert(g->count, order, &place);
    if (status == PEN_OK) {
        pen_lid first = (g->count - part) / 2;
        memset(c.blocks, 0xff, 2 * (size_t)c.pairs * sizeof *c.blocks); /* all blocks of the cache become -1, none */
        sweep(g, order, first, first + part, &c, place, locality);
        /* All records fit into the cache: misses happened only because blocks shared a hash. */
        if (g->count * c.record <= pen_order_cache) locality->misses = 0.0;
    }
    PEN_FREE_ALL(c.blocks, place);
    return status;
}

/* ---- Reverse Cuthill-McKee ------------------------------------------------------------------- */

typedef struct labelled {
    uint64_t key; /* the sort key, first member */
    pen_lid node;
    pen_lid was; /* index of the node before sorting */
} labelled;

static int compare_labelled(const void *a, const void *b)
{
    const labelled *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->was > y->was) - (x->was < y->was);
}

typedef struct search {
    const pen_order_graph *graph;
    pen_lid *queue; /* [count] nodes in the order found; new ones are appended to those that are ordered already */
    /* [count] number of the last search that found the node; DONE after the final search of its component. */
    uint32_t *seen;
    uint32_t number;     /* number of the next search; there is at most one search per node, so that 32 bits suffice */
    labelled *neighbors; /* [largest degree] neighbours of a node, for sorting */
} search;

#define DONE UINT32_MAX
enum { FEW = 24, AHEAD = 8 };

static uint32_t degree(const pen_order_graph *g, pen_lid node) { return g->rows[node + 1] - g->rows[node]; }

static void sort_by_degree(search *s, pen_lid *nodes, pen_lid count)
{
    const pen_order_graph *g = s->graph;
    if (count <= FEW) {
        for (pen_lid i = 1; i < count; i++) {
            pen_lid node = nodes[i], j = i;
            for (; j > 0 && degree(g, nodes[j - 1]) > degree(g, node); j--) nodes[j] = nodes[j - 1];
            nodes[j] = node;
        }
        return;
    }
    for (pen_lid i = 0; i < count; i++) s->neighbors[i] = (labelled){ degree(g, nodes[i]), nodes[i], i };
    qsort(s->neighbors, (size_t)count, sizeof *s->neighbors, compare_labelled);
    for (pen_lid i = 0; i < count; i++) nodes[i] = s->neighbors[i].node;
}

/* Breadth-first search from `start`. Found nodes are appended to the queue from `first` on. Returns their number, the
 * number of levels, and in *last the queue position of the last level's first node. `mark` is DONE for the final
 * search, which sorts neighbours. */
static pen_lid find_component(search *s, pen_lid start, pen_lid first, uint32_t mark, pen_lid *last, int *levels)
{
    const pen_order_graph *g = s->graph;
    pen_lid *queue = s->queue, end = first, level_end = first + 1;
    s->seen[start] = mark;
    queue[end++] = start;
    *last = first;
    *levels = 1;
    for (pen_lid at = first; at < end; at++) {
        if (at == level_end) {
            *last = at;
            level_end = end;
            ++*levels;
        }
        if (at + 2 * AHEAD < end) {
            __builtin_prefetch(&g->rows[queue[at + 2 * AHEAD]]);
            __builtin_prefetch(&g->columns[g->rows[queue[at + AHEAD]]]);
        }
        pen_lid before = end;
        for (uint32_t a = g->rows[queue[at]]; a < g->rows[queue[at] + 1]; a++) {
            pen_lid node = g->columns[a];
            if (node >= g->count || s->seen[node] == mark || s->seen[node] == DONE) continue;
            s->seen[node] = mark;
            queue[end++] = node;
        }
        if (mark == DONE) sort_by_degree(s, queue + before, end - before);
    }
    return end - first;
}

/* Approximate a peripheral node of start's component by a few searches: a node that is farther from the others than its
 * neighbours are. */
static pen_lid find_rim(search *s, pen_lid start, pen_lid first)
{
    enum { SEARCHES = 2 };
    int levels = 0;
    for (int i = 0; i < SEARCHES && degree(s->graph, start) > 0; i++) {
        pen_lid last;
        int found;
        pen_lid count = find_component(s, start, first, s->number++, &last, &found);
        if (found <= levels) break;
        levels = found;
        start = s->queue[last];
        for (pen_lid k = last; k < first + count; k++)
            if (degree(s->graph, s->queue[k]) < degree(s->graph, start)) start = s->queue[k];
    }
    return start;
}

pen_status pen_order_rcm(const pen_order_graph *g, pen_lid *order)
{
    uint32_t most = 0;
    for (pen_lid i = 0; i < g->count; i++)
        if (degree(g, i) > most) most = degree(g, i);
    search s = { .graph = g, .queue = order, .number = 1 };
    pen_status status = PEN_ALLOC_ZERO(&s.seen, g->count);
    if (status == PEN_OK) status = PEN_ALLOC(&s.neighbors, most);
    pen_lid done = 0, last;
    int levels;
    for (pen_lid i = 0; status == PEN_OK && i < g->count; i++) {
        if (s.seen[i] != DONE) done += find_component(&s, find_rim(&s, i, done), done, DONE, &last, &levels);
        /* If arcs have no reverse arcs, the search from the peripheral node may not reach this one. */
        if (s.seen[i] != DONE) done += find_component(&s, i, done, DONE, &last, &levels);
    }
    for (pen_lid low = 0, high = done - 1; low < high; low++, high--) {
        pen_lid node = order[low];
        order[low] = order[high];
        order[high] = node;
    }
    PEN_FREE_ALL(s.seen, s.neighbors);
    return status;
}

/* ---- Sorting by keys ------------------------------------------------------------------------- */

pen_status pen_order_by_key(pen_lid count, const uint64_t *keys, pen_lid *order)
{
    labelled *nodes;
    PEN_TRY(PEN_ALLOC(&nodes, count));
    for (pen_lid i = 0; i < count; i++) nodes[i] = (labelled){ keys[i], i, i };
    if (count > 0) qsort(nodes, (size_t)count, sizeof *nodes, compare_labelled);
    for (pen_lid k = 0; k < count; k++) order[k] = nodes[k].node;
    free(nodes);
    return PEN_OK;
}
