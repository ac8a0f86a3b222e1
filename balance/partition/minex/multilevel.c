/* multilevel.c - partitions a graph by MinEX on several levels. */
#include "base/memory.h"
#include "partition/minex/contract.h"
#include "partition/minex/minex.h"
#include "partition/minex/offers.h"
#include "partition/minex/refine.h"

#include <math.h>
#include <stdlib.h>

/* ---- Regions ------------------------------------------------------------------------------------ */

typedef struct regions {
    const pen_minex_graph *graph;
    int32_t *part;
    /* [count] for a vertex without a part: what it shares with vertices that have one, minus what it shares with
     * others. */
    double *shared;
    double *near; /* [count] what a vertex shares with the growing region */
    /* Heaps of all vertices without a part, and of those near the region; entries whose key is outdated are ignored. */
    offers any, next;
} regions;

static double key_of_next(const regions *r, int32_t v) { return -(r->shared[v] + r->near[v]); }

/* Take the next vertex for the region; -1: there is none. */
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
        if (ended) { /* put v back: the new region may begin at another vertex */
            r->next.count = 0;
            for (int32_t w = 0; w < g->count; w++) r->near[w] = 0.0;
            offers_push(&r->any, (offer){ -r->shared[v], v, -1 });
            v = take(r);
        }
        given += g->work[v];
        give(r, v, at);
    }
}

/* Partition from scratch: part[v] in [0, processors). Regions grow one after the other, with work proportional to their
 * processors' speeds. Each grows by the vertex that shares most with it, less what that vertex shares with vertices
 * without a part. It begins with the vertex that shares most with all parts, by the same measure. */
static pen_status minex_grow(const pen_minex_graph *g, const pen_machine *machine, int32_t *part)
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

/* Try one processor for v. */
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

/* Place vertices without a processor, heaviest first, each where the sum of its new load and the change of the others'
 * is least. Of processors without a neighbour, only the least loaded of each cluster is tried. */
static pen_status minex_place(placement *p)
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

enum { COARSEST_PER_PROCESSOR = 8, COARSEST = 400, PASSES_COARSEST = 6, PASSES = 3 };

double pen_minex_overlap(const pen_minex_totals *t, const void *theta)
{
    return t->processing + fmax(0.0, t->receiving + t->remapping - *(const double *)theta * t->processing);
}

pen_minex_settings pen_minex_defaults(bool diffusive)
{
    return (pen_minex_settings){ .throt = 32.0, .diffusive = diffusive, .old_owner_free = diffusive };
}

/* ---- Checks ------------------------------------------------------------------------------------- */

static bool is_weight(double x) { return x >= 0.0 && x < INFINITY; }

/* Check the arcs. Vertices are visited in order, so the arcs to w must occur in the order of w's row. */
static pen_status check_arcs(const pen_minex_graph *g, int64_t *met)
{
    for (int32_t v = 0; v < g->count; v++) met[v] = g->rows[v];
    for (int32_t v = 0; v < g->count; v++)
        for (int64_t k = g->rows[v]; k < g->rows[v + 1]; k++) {
            int32_t w = g->columns[k];
            PEN_ARGUMENT(w >= 0 && w < g->count && w != v && (k == g->rows[v] || w > g->columns[k - 1]),
                         "MinEX: vertex %" PRId32 " has neighbour %" PRId32 ": others of %" PRId32 ", ascending", v, w,
                         g->count);
            int64_t mate = met[w]++;
            PEN_ARGUMENT(mate < g->rows[w + 1] && g->columns[mate] == v,
                         "MinEX: vertices %" PRId32 " and %" PRId32 " are not neighbours of each other", v, w);
            PEN_ARGUMENT(is_weight(g->reads[k]) && g->reads[k] == g->feeds[mate],
                         "MinEX: the weight with which vertex %" PRId32 " reads %" PRId32
                         " is %g there, %g here: must be >= 0, finite",
                         v, w, g->feeds[mate], g->reads[k]);
        }
    return PEN_OK;
}

static pen_status check(const pen_minex_graph *g, const pen_machine *m, const pen_minex_settings *s)
{
    int64_t *met;
    PEN_ARGUMENT(is_weight(s->throt), "MinEX: ThroT %g, must be >= 0", s->throt);
    PEN_ARGUMENT(s->coarsest >= 0, "MinEX: %" PRId64 " vertices of the coarsest graph, must be >= 0", s->coarsest);
    for (int32_t v = 0; v < g->count; v++) {
        PEN_ARGUMENT(is_weight(g->work[v]) && is_weight(g->size[v]),
                     "MinEX: vertex %" PRId32 " has work %g, size %g: must be >= 0, finite", v, g->work[v], g->size[v]);
        PEN_ARGUMENT(g->owners[v] >= -1 && g->owners[v] < m->processors,
                     "MinEX: vertex %" PRId32 " has owner %" PRId32 " of %" PRId32, v, g->owners[v], m->processors);
    }
    PEN_TRY(PEN_ALLOC(&met, g->count));
    pen_status status = check_arcs(g, met);
    free(met);
    return status;
}

/* ---- Levels of the graph ------------------------------------------------------------------------- */

typedef struct levels {
    level *levels; /* [count] the levels, the finest first */
    int64_t room;
    int32_t count;
} levels;

static void free_levels(levels *l)
{
    for (int32_t i = 0; i < l->count; i++) pen_minex_level_free(&l->levels[i], i == 0);
    free(l->levels);
}

/* Set the data that PEN_MINEX_RANK ships of each vertex. */
static pen_status make_data(level *finest)
{
    const pen_minex_graph *g = &finest->graph;
    PEN_TRY(PEN_ALLOC_ZERO(&finest->data, g->count));
    for (int32_t v = 0; v < g->count; v++)
        for (int64_t k = g->rows[v]; k < g->rows[v + 1]; k++) finest->data[v] = fmax(finest->data[v], g->feeds[k]);
    return PEN_OK;
}

static pen_status make_levels(const pen_minex_graph *g, const network *net, const pen_minex_settings *s, levels *l)
{
    int64_t enough = (int64_t)COARSEST_PER_PROCESSOR * net->processors;
    if (enough < COARSEST) enough = COARSEST;
    if (enough < s->coarsest) enough = s->coarsest;
    double work = 0.0;
    for (int32_t v = 0; v < g->count; v++) work += g->work[v];
    double heaviest = work * fmin(net->slowest_share / 2.0, 0.25 / net->processors);
    PEN_TRY(pen_reserve(&l->levels, sizeof *l->levels, 1, &l->room));
    l->levels[l->count++] = (level){ .graph = *g };
    if (s->cost == PEN_MINEX_RANK) PEN_TRY(make_data(&l->levels[0]));
    for (double saved = 1.0; l->levels[l->count - 1].graph.count > enough && saved >= 0.05;) {
        PEN_TRY(pen_reserve(&l->levels, sizeof *l->levels, l->count + 1, &l->room));
        level *fine = &l->levels[l->count - 1], *coarse = &l->levels[l->count++];
        PEN_TRY(pen_minex_contract(fine, heaviest, pen_mix(s->seed + (uint64_t)l->count), coarse));
        saved = 1.0 - (double)coarse->graph.count / fine->graph.count;
    }
    return PEN_OK;
}

/* ---- All levels together ------------------------------------------------------------------------ */

static void sum_up(const placement *p, pen_minex_metrics *metrics)
{
    pen_minex_metrics m = { .total = p->total, .mean = pen_minex_mean(p) };
    for (int32_t q = 0; q < p->net->processors; q++) {
        m.heaviest = fmax(m.heaviest, p->loads[q]);
        m.variance += (p->loads[q] - m.mean) * (p->loads[q] - m.mean);
        m.processing += p->totals[q].processing;
        m.receiving += p->totals[q].receiving;
        m.remapping += p->totals[q].remapping;
    }
    m.imbalance = m.mean > 0.0 ? m.heaviest / m.mean : 1.0;
    *metrics = m;
}

/* The data that all levels need. */
typedef struct problem {
    const pen_machine *machine;
    const pen_minex_settings *settings;
    network net;
    levels levels;
    pen_minex_counts counts;
} problem;

static pen_status refine_level(problem *r, const level *l, int passes, int32_t *part, pen_minex_metrics *metrics)
{
    placement p;
    pen_status status = pen_minex_placement_create(&l->graph, l->data, &r->net, r->settings, part, &p);
    if (status == PEN_OK) status = minex_place(&p);
    if (status == PEN_OK) status = pen_minex_refine(&p, passes, &r->counts);
    if (status == PEN_OK) sum_up(&p, metrics);
    pen_minex_placement_free(&p);
    return status;
}

/* Partition the coarsest level. From scratch, both starts are tried. */
static pen_status partition_coarsest(problem *r, const level *l, int32_t *part, int32_t *other,
                                     pen_minex_metrics *metrics)
{
    pen_minex_metrics grown;
    bool diffusive = r->settings->diffusive;
    for (int32_t v = 0; v < l->graph.count; v++) part[v] = diffusive ? l->graph.owners[v] : -1;
    PEN_TRY(refine_level(r, l, PASSES_COARSEST, part, metrics));
    if (diffusive) return PEN_OK;
    PEN_TRY(minex_grow(&l->graph, r->machine, other));
    PEN_TRY(refine_level(r, l, PASSES_COARSEST, other, &grown));
    if (grown.heaviest >= metrics->heaviest) return PEN_OK;
    memcpy(part, other, (size_t)l->graph.count * sizeof *part);
    *metrics = grown;
    return PEN_OK;
}

/* Partition all levels; parts[0] becomes the partition of the finest one. */
static pen_status partition_levels(problem *r, int32_t *parts[2], pen_minex_metrics *metrics)
{
    int32_t last = r->levels.count - 1;
    PEN_TRY(partition_coarsest(r, &r->levels.levels[last], parts[last % 2], parts[(last + 1) % 2], metrics));
    for (int32_t i = last - 1; i >= 0; i--) {
        const level *here = &r->levels.levels[i];
        int32_t *part = parts[i % 2];
        for (int32_t v = 0; v < here->graph.count; v++) part[v] = parts[(i + 1) % 2][here->into[v]];
        PEN_TRY(refine_level(r, here, PASSES, part, metrics));
    }
    return PEN_OK;
}

pen_status pen_minex_partition(const pen_minex_graph *graph, const pen_machine *machine,
                               const pen_minex_settings *settings, int32_t *part, pen_minex_metrics *metrics,
                               pen_minex_counts *counts)
{
    problem r = { .machine = machine, .settings = settings };
    int32_t *parts[2] = { NULL, NULL };
    pen_minex_metrics reached;
    PEN_TRY(check(graph, machine, settings));
    pen_status status = PEN_ALLOC(&parts[0], graph->count);
    if (status == PEN_OK) status = PEN_ALLOC(&parts[1], graph->count);
    if (status == PEN_OK) status = pen_minex_network_create(machine, &r.net);
    if (status == PEN_OK) status = make_levels(graph, &r.net, settings, &r.levels);
    if (status == PEN_OK) status = partition_levels(&r, parts, &reached);
    if (status == PEN_OK) {
        if (graph->count > 0) memcpy(part, parts[0], (size_t)graph->count * sizeof *part);
        if (metrics) *metrics = reached;
        if (counts) *counts = r.counts;
    }
    free_levels(&r.levels);
    pen_minex_network_free(&r.net);
    PEN_FREE_ALL(parts[0], parts[1]);
    return status;
}

pen_status pen_minex_measure(const pen_minex_graph *graph, const pen_machine *machine,
                             const pen_minex_settings *settings, const int32_t *part, pen_minex_metrics *metrics,
                             pen_minex_totals *totals, double *loads)
{
    network net = { 0 };
    level finest = { .graph = *graph };
    placement p = { 0 };
    int32_t *copy = NULL;
    PEN_TRY(check(graph, machine, settings));
    for (int32_t v = 0; v < graph->count; v++)
        PEN_ARGUMENT(part[v] >= 0 && part[v] < machine->processors,
                     "MinEX: vertex %" PRId32 " is in part %" PRId32 " of %" PRId32, v, part[v], machine->processors);
    pen_status status = PEN_ALLOC(&copy, graph->count);
    for (int32_t v = 0; status == PEN_OK && v < graph->count; v++) copy[v] = part[v];
    if (status == PEN_OK) status = pen_minex_network_create(machine, &net);
    if (status == PEN_OK && settings->cost == PEN_MINEX_RANK) status = make_data(&finest);
    if (status == PEN_OK) status = pen_minex_placement_create(graph, finest.data, &net, settings, copy, &p);
    if (status == PEN_OK) {
        sum_up(&p, metrics);
        for (int32_t q = 0; q < net.processors; q++) {
            if (totals) totals[q] = p.totals[q];
            if (loads) loads[q] = p.loads[q];
        }
    }
    pen_minex_placement_free(&p);
    pen_minex_level_free(&finest, true);
    pen_minex_network_free(&net);
    free(copy);
    return status;
}
