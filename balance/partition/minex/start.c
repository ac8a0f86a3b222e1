#include "partition/minex/start.h"
#include "base/memory.h"
#include "partition/minex/offers.h"

#include <math.h>
#include <stdlib.h>

/* ---- Regions ------------------------------------------------------------------------------------ */

typedef struct regions {
    const pen_minex_graph *graph;
    int32_t *part;
    double *shared;   /* [count] what a vertex without a part shares with those that have one, less what with others */
    double *near;     /* [count] what it shares with the region that grows */
    offers any, next; /* vertices without a part, those near the region; entries with other keys than now are void */
} regions;

static double key_of_next(const regions *r, int32_t v) { return -(r->shared[v] + r->near[v]); }

/* The next vertex for the region; -1: there is none. */
static int32_t take(regions *r)
{
    while (r->next.count > 0) {
        offer o = offers_pop(&r->next);
        if (r->part[o.vertex] < 0 && o.key == key_of_next(r, o.vertex)) return o.vertex;
    }
    while (r->any.count > 0) {
        offer o = offers_pop(&r->any);
        if (r->part[o.vertex] < 0 && o.key == -r->shared[o.vertex]) return o.vertex;
    }
    return -1;
}

static void give(regions *r, int32_t v, int32_t processor)
{
    const pen_minex_graph *g = r->graph;
    r->part[v] = processor;
    for (int64_t k = g->rows[v]; k < g->rows[v + 1]; k++) {
        int32_t w = g->columns[k];
        double both = g->reads[k] + g->feeds[k];
        if (r->part[w] >= 0 || both == 0.0) continue;
        r->shared[w] += 2.0 * both;
        r->near[w] += both;
        offers_push(&r->any, (offer){ -r->shared[w], w, -1 });
        offers_push(&r->next, (offer){ key_of_next(r, w), w, -1 });
    }
}

static void grow(regions *r, const pen_machine *machine)
{
    const pen_minex_graph *g = r->graph;
    double work = 0.0, given = 0.0, share = machine->speeds[0];
    int32_t at = 0;
    for (int32_t v = 0; v < g->count; v++) {
        r->part[v] = -1;
        r->near[v] = r->shared[v] = 0.0;
        for (int64_t k = g->rows[v]; k < g->rows[v + 1]; k++) r->shared[v] -= g->reads[k] + g->feeds[k];
        work += g->work[v];
        offers_push(&r->any, (offer){ -r->shared[v], v, -1 });
    }
    for (int32_t v; (v = take(r)) >= 0;) {
        bool ended = false;
        while (at + 1 < machine->processors && given + g->work[v] / 2 > work * share / machine->total_speed) {
            share += machine->speeds[++at];
            ended = true;
        }
        if (ended) { /* v is put back: the new region may begin elsewhere */
            r->next.count = 0;
            for (int32_t w = 0; w < g->count; w++) r->near[w] = 0.0;
            offers_push(&r->any, (offer){ -r->shared[v], v, -1 });
            v = take(r);
        }
        given += g->work[v];
        give(r, v, at);
    }
}

pen_status pen_minex_grow(const pen_minex_graph *g, const pen_machine *machine, int32_t *part)
{
    regions r = { .graph = g, .part = part };
    pen_status status = PEN_ALLOC(&r.shared, g->count);
    if (status == PEN_OK) status = PEN_ALLOC(&r.near, g->count);
    if (status == PEN_OK) status = PEN_ALLOC(&r.next.offers, g->rows[g->count]);
    if (status == PEN_OK) status = PEN_ALLOC(&r.any.offers, g->rows[g->count] + g->count + machine->processors);
    if (status == PEN_OK) grow(&r, machine);
    PEN_FREE_ALL(r.shared, r.near, r.next.offers, r.any.offers);
    return status;
}

/* ---- Heaviest first ---------------------------------------------------------------------------- */

typedef struct waiting {
    double work;
    int32_t vertex;
} waiting;

static int heaviest_first(const void *a, const void *b)
{
    const waiting *x = a, *y = b;
    if (x->work != y->work) return x->work > y->work ? -1 : 1;
    return x->vertex < y->vertex ? -1 : 1;
}

/* Look at one processor for v. */
static void try_place(placement *p, int32_t v, int32_t to, double *least, int32_t *best)
{
    pen_minex_change(p, v, to, true);
    double cost = p->loads[to] + pen_minex_gain(p);
    if (cost >= *least) return;
    *least = cost;
    *best = to;
}

static void place(placement *p, int32_t v, int32_t *idlest)
{
    int32_t best = -1;
    double least = INFINITY;
    for (int32_t i = 0; i < p->lengths[v]; i++) try_place(p, v, p->entries[p->firsts[v] + i].processor, &least, &best);
    for (int32_t c = 0; c < p->net->clusters; c++) idlest[c] = -1;
    for (int32_t q = 0; q < p->net->processors; q++) {
        int32_t *least_loaded = &idlest[p->net->cluster[q]];
        if (*least_loaded < 0 || p->loads[q] < p->loads[*least_loaded]) *least_loaded = q;
    }
    for (int32_t c = 0; c < p->net->clusters; c++)
        if (idlest[c] >= 0) try_place(p, v, idlest[c], &least, &best);
    pen_minex_change(p, v, best, true);
    pen_minex_commit(p);
}

pen_status pen_minex_place(placement *p)
{
    waiting *waits;
    int32_t *idlest, count = 0;
    PEN_TRY(PEN_ALLOC(&waits, p->graph->count));
    pen_status status = PEN_ALLOC(&idlest, p->net->clusters);
    if (status == PEN_OK) {
        for (int32_t v = 0; v < p->graph->count; v++)
            if (p->part[v] < 0) waits[count++] = (waiting){ p->graph->work[v], v };
        qsort(waits, (size_t)count, sizeof *waits, heaviest_first);
        for (int32_t i = 0; i < count; i++) place(p, waits[i].vertex, idlest);
    }
    PEN_FREE_ALL(waits, idlest);
    return status;
}
