/* pagrid.c - distributes a graph by PaGrid. */
#include "partition/pagrid/pagrid.h"
#include "base/memory.h"
#include "partition/pagrid/anneal.h"
#include "partition/pagrid/initial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOOKS = 12,         /* mean number of examinations of a vertex, which limits the cost of the last small gains */
    COARSEST = 8,       /* vertices per processor on the coarsest level */
    FEW_VERTICES = 256, /* least number of vertices on the coarsest level */
    TRIES = 3,          /* number of tries to divide the coarsest graph */
    TRIALS = 100,       /* annealing trials per vertex; per pair if vertices are single nodes */
    /* Annealing trials per vertex from a start, fewer than from scratch since a balancer may be called often. */
    TRIALS_ON = 600,
    MOST_PAIRS = 1 << 22, /* largest number of pairs of a vertex and a processor that are all tried */
    SMALL = 4096          /* number of nodes up to which a graph gets the largest number of trials */
};
static const double MOST_LOOKS = 12e6; /* largest number of examinations of vertices in all trials */

/* Temperatures of annealing: the first one from scratch, the first one from a start, and the last one. */
static const double HOT = 0.015, WARM = 0.002, COLD = 0.0005;

/* Squarings of the objectives, which approach the maximum: sums of 4th, 8th, 32nd and 128th powers. On the way back to
 * the graph the first one keeps borders short, the others make times equal. */
static const int POWERS[] = { 2, 3, 5, 7 };

/* The least gain of a move, as a fraction of the objective, so that rounding errors do not count as gains. */
static const double LEAST_GAIN = 1e-13;

/* A ring buffer of vertices to examine, each at most once. */
typedef struct ring {
    int32_t *vertices; /* [size] vertices */
    bool *inside;      /* [size] whether each vertex is in the ring */
    int32_t size, first, count;
} ring;

static void put(ring *r, int32_t v)
{
    if (r->inside[v]) return;
    r->inside[v] = true;
    int32_t at = r->first + r->count++ - r->size;
    r->vertices[at < 0 ? at + r->size : at] = v;
}

static int32_t take(ring *r)
{
    int32_t v = r->vertices[r->first];
    r->first = r->first + 1 == r->size ? 0 : r->first + 1;
    r->count--;
    r->inside[v] = false;
    return v;
}

static void consider(pagrid_state *s, int32_t v, int32_t to, int32_t *best, double *least)
{
    if (to == s->part[v]) return;
    double growth = pen_pagrid_try(s, v, to);
    if (growth < *least) {
        *least = growth;
        *best = to;
    }
}

/* Move a vertex if that improves the objective. Returns whether it moved. */
static bool improve(pagrid_state *s, int32_t v, bool everywhere)
{
    int32_t best = -1;
    double least = -LEAST_GAIN * s->objective;
    pen_pagrid_look(s, v);
    if (everywhere)
        for (int32_t q = 0; q < s->network->processors; q++) consider(s, v, q, &best, &least);
    else
        for (int32_t k = 0; k < s->near_count; k++) consider(s, v, s->near[k].processor, &best, &least);
    if (best < 0) return false;
    double growth = pen_pagrid_try(s, v, best);
    pen_pagrid_move(s, v, best, growth);
    return true;
}

static bool at_border(const pagrid_state *s, int32_t v)
{
    const pagrid_level *l = s->level;
    for (int64_t j = l->rows[v]; j < l->rows[v + 1]; j++)
        if (s->part[l->arcs[j].to] != s->part[v]) return true;
    return false;
}

/* Move vertices at borders to the processor of a neighbour, or with `everywhere` any vertex to any processor, where the
 * objective falls most, until no move helps. */
static pen_status pagrid_refine(pagrid_state *s, bool everywhere)
{
    const pagrid_level *l = s->level;
    ring r = { .size = l->count };
    pen_status status = PEN_ALLOC(&r.vertices, l->count);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&r.inside, l->count);
    if (status == PEN_OK)
        for (int32_t v = 0; v < l->count; v++)
            if (everywhere || at_border(s, v)) put(&r, v);
    for (int64_t looks = (int64_t)LOOKS * r.count; status == PEN_OK && r.count > 0 && looks > 0; looks--) {
        int32_t v = take(&r);
        if (!improve(s, v, everywhere)) continue;
        for (int64_t j = l->rows[v]; j < l->rows[v + 1]; j++) put(&r, l->arcs[j].to);
    }
    PEN_FREE_ALL(r.vertices, r.inside);
    return status;
}

static pen_status check(const pen_pagrid_graph *graph, const pen_machine *machine, const int32_t *start)
{
    for (int32_t v = 0; v < graph->count; v++) {
        double work = graph->work ? graph->work[v] : 1.0;
        PEN_ARGUMENT(work >= 0.0 && isfinite(work), "work %g of node %" PRId32 ", must be >= 0 and finite", work, v);
        PEN_ARGUMENT(!start || (start[v] >= 0 && start[v] < machine->processors),
                     "node %" PRId32 " starts on processor %" PRId32 ", must be in [0, %" PRId32 ")", v, start[v],
                     machine->processors);
    }
    for (int64_t j = 0; graph->weights && j < graph->rows[graph->count]; j++)
        PEN_ARGUMENT(graph->weights[j] >= 0.0 && isfinite(graph->weights[j]),
                     "arc %" PRId64 " has weight %g, must be >= 0 and finite", j, graph->weights[j]);
    return PEN_OK;
}

static pen_status refine(pagrid_state *s, bool on_the_way, bool everywhere)
{
    everywhere = everywhere && (int64_t)s->level->count * s->network->processors <= MOST_PAIRS;
    for (size_t k = on_the_way ? 0 : 1; k < (on_the_way ? 1 : PEN_COUNT_OF(POWERS)); k++) {
        pen_pagrid_aim(s, POWERS[k]);
        PEN_TRY(pagrid_refine(s, everywhere));
    }
    return PEN_OK;
}

/* The number of trials of one try. A trial visits all neighbours of one or two vertices, the second of which is found
 * along an arc. A small graph has a short refinement, which leaves time for more trials. */
static int64_t trials_of(const pagrid_levels *levels, bool anew)
{
    const pagrid_level *l = &levels->levels[levels->count - 1];
    int64_t count = l->count, finest = levels->levels[0].count;
    double looks = 15.0, arcs = (double)l->rows[count];
    for (int32_t v = 0; v < count; v++) {
        double degree = (double)(l->rows[v + 1] - l->rows[v]);
        if (degree > 0.0) looks += degree * degree / arcs;
    }
    double most = MOST_LOOKS / looks;
    double trials = (double)(anew ? TRIALS : TRIALS_ON) * (double)count;
    if (anew && levels->count == 1) trials *= (double)count;
    else if (anew) trials = fmax(trials, most / TRIES * SMALL / (double)finest);
    return (int64_t)fmin(trials, most);
}

static pen_status anneal(pagrid_state *s, double hot, int64_t trials, uint64_t seed)
{
    const pagrid_cooling cooling = { trials, hot, COLD, false, seed };
    return pen_pagrid_anneal(s, &cooling);
}

/* A search for the best of several tries, which part[] keeps. */
typedef struct search {
    const pagrid_level *level;
    const pagrid_network *network;
    pagrid_state state; /* state of the present try, with its own part[] */
    int32_t *part;
    double least;
} search;

static void keep_better(search *s)
{
    int32_t longest;
    double most = pen_pagrid_longest(&s->state, &longest);
    if (most >= s->least) return;
    s->least = most;
    memcpy(s->part, s->state.part, (size_t)s->level->count * sizeof *s->part);
}

static pen_status try_range(search *s, pagrid_range range, int64_t trials, uint64_t seed)
{
    PEN_TRY(pen_pagrid_initial(s->level, s->network, range, seed, s->state.part));
    pen_pagrid_recount(&s->state);
    if (trials > 0) PEN_TRY(anneal(&s->state, HOT, trials, seed));
    PEN_TRY(refine(&s->state, false, true));
    keep_better(s);
    return PEN_OK;
}

/* Choose the processors to use: if links are slow, only some of them are useful. */
static pen_status choose_range(search *s, uint64_t seed, pagrid_range *chosen)
{
    pagrid_range range = { 0, s->network->processors };
    double work = 0.0;
    for (int32_t v = 0; v < s->level->count; v++) work += s->level->work[v];
    *chosen = range;
    for (;;) {
        double speed = 0.0, least = s->least;
        for (int32_t p = range.low; p < range.high; p++) speed += s->network->machine->speeds[p];
        if (work / speed < s->least) PEN_TRY(try_range(s, range, 0, seed));
        if (s->least < least) *chosen = range;
        if (range.high - range.low == 1) return PEN_OK;
        range = pen_pagrid_half(s->network, range);
    }
}

static pen_status search_all(search *s, int tries, int64_t trials, uint64_t seed)
{
    pagrid_range range;
    PEN_TRY(choose_range(s, pen_mix(seed), &range));
    for (int k = 0; k < tries; k++) PEN_TRY(try_range(s, range, trials, pen_mix(seed + (uint64_t)k)));
    return PEN_OK;
}

static pen_status start_anew(const pagrid_levels *levels, const pagrid_network *network, uint64_t seed, int32_t *part)
{
    const pagrid_level *coarsest = &levels->levels[levels->count - 1];
    search s = { .level = coarsest, .network = network, .part = part, .least = INFINITY };
    int32_t *tried = NULL;
    pen_status status = PEN_ALLOC_ZERO(&tried, coarsest->count);
    if (status == PEN_OK) status = pen_pagrid_state_create(coarsest, network, tried, &s.state);
    if (status == PEN_OK) status = search_all(&s, levels->count == 1 ? 1 : TRIES, trials_of(levels, true), seed);
    pen_pagrid_state_free(&s.state);
    free(tried);
    return status;
}

/* Refine level by level. part[] belongs to the present level, and at the end to the graph. */
static pen_status climb(const pagrid_levels *levels, const pagrid_network *network, bool anew, uint64_t seed,
                        int32_t *part)
{
    pen_status status = PEN_OK;
    for (int k = levels->count - 1; k >= 0 && status == PEN_OK; k--) {
        const pagrid_level *level = &levels->levels[k];
        pagrid_state s;
        bool coarsest = k == levels->count - 1;
        if (level->map) /* works in place, since numbers of groups are not above those of their vertices */
            for (int32_t v = level->count - 1; v >= 0; v--) part[v] = part[level->map[v]];
        if (coarsest && anew) continue;
        status = pen_pagrid_state_create(level, network, part, &s);
        if (status == PEN_OK && coarsest) status = anneal(&s, WARM, trials_of(levels, false), seed);
        if (status == PEN_OK) status = refine(&s, k > 0 && !coarsest, coarsest);
        pen_pagrid_state_free(&s);
    }
    return status;
}

static pen_status partition(const pagrid_levels *levels, const pagrid_network *network, uint64_t seed,
                            const int32_t *start, int32_t *part)
{
    if (!start) PEN_TRY(start_anew(levels, network, seed, part));
    else {
        memcpy(part, start, (size_t)levels->levels[0].count * sizeof *part);
        for (int k = 0; k < levels->count - 1; k++)
            for (int32_t v = 0; v < levels->levels[k].count; v++) part[levels->levels[k].map[v]] = part[v];
    }
    return climb(levels, network, !start, seed, part);
}

/* Keep the start if refinement does not help. */
static pen_status compare(const pen_pagrid_graph *graph, const pen_machine *machine, double ratio, const int32_t *start,
                          int32_t *part, double *most)
{
    double before;
    PEN_TRY(pen_estimate_longest(graph, machine, ratio, part, most));
    if (!start) return PEN_OK;
    PEN_TRY(pen_estimate_longest(graph, machine, ratio, start, &before));
    if (*most < before) return PEN_OK;
    memcpy(part, start, (size_t)graph->count * sizeof *part);
    *most = before;
    return PEN_OK;
}

pen_status pen_pagrid_partition(const pen_pagrid_graph *graph, const pen_machine *machine,
                                const pen_pagrid_settings *settings, const int32_t *start, int32_t *part, double *most)
{
    pagrid_levels levels;
    pagrid_network network;
    double longest = 0.0;
    PEN_TRY(check(graph, machine, start));
    pen_estimate_units units = pen_estimate_units_of(graph, settings->ratio);
    int64_t enough = (int64_t)COARSEST * machine->processors;
    if (enough < FEW_VERTICES) enough = FEW_VERTICES;
    pen_status status = pen_pagrid_network_create(machine, units, &network);
    if (status == PEN_OK) {
        status = pen_pagrid_levels_create(graph, units, start, enough, settings->seed, &levels);
        if (status == PEN_OK) status = partition(&levels, &network, settings->seed, start, part);
        pen_pagrid_levels_free(&levels);
    }
    pen_pagrid_network_free(&network);
    if (status == PEN_OK) status = compare(graph, machine, settings->ratio, start, part, &longest);
    if (status == PEN_OK && most) *most = longest;
    return status;
}
