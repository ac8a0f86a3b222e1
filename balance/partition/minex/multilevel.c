#include "base/hash.h"
#include "base/memory.h"
#include "partition/minex/contract.h"
#include "partition/minex/minex.h"
#include "partition/minex/refine.h"
#include "partition/minex/start.h"

#include <math.h>
#include <stdlib.h>

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

/* Vertices come in order, so that the arcs to w must come in the order of w's row. */
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
                         "MinEX: what vertex %" PRId32 " reads of %" PRId32
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

/* ---- Levels -------------------------------------------------------------------------------------- */

typedef struct levels {
    level *levels; /* [count] the finest first */
    int64_t room;
    int32_t count;
} levels;

static void free_levels(levels *l)
{
    for (int32_t i = 0; i < l->count; i++) pen_minex_level_free(&l->levels[i], i == 0);
    free(l->levels);
}

/* What PEN_MINEX_RANK ships of a vertex. */
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

/* ---- The whole ---------------------------------------------------------------------------------- */

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

/* What all levels need. */
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
    if (status == PEN_OK) status = pen_minex_place(&p);
    if (status == PEN_OK) status = pen_minex_refine(&p, passes, &r->counts);
    if (status == PEN_OK) sum_up(&p, metrics);
    pen_minex_placement_free(&p);
    return status;
}

/* From scratch both ways of starting are tried. */
static pen_status partition_coarsest(problem *r, const level *l, int32_t *part, int32_t *other,
                                     pen_minex_metrics *metrics)
{
    pen_minex_metrics grown;
    bool diffusive = r->settings->diffusive;
    for (int32_t v = 0; v < l->graph.count; v++) part[v] = diffusive ? l->graph.owners[v] : -1;
    PEN_TRY(refine_level(r, l, PASSES_COARSEST, part, metrics));
    if (diffusive) return PEN_OK;
    PEN_TRY(pen_minex_grow(&l->graph, r->machine, other));
    PEN_TRY(refine_level(r, l, PASSES_COARSEST, other, &grown));
    if (grown.heaviest >= metrics->heaviest) return PEN_OK;
    memcpy(part, other, (size_t)l->graph.count * sizeof *part);
    *metrics = grown;
    return PEN_OK;
}

/* parts[0] becomes that of the finest level. */
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
