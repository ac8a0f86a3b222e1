/* levels.c - makes coarser graphs for PaGrid. */
#include "partition/pagrid/levels.h"
#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LEVELS = 64, NOBODY = -1 };

/* A level with more than this fraction of the previous level's vertices is the coarsest one. */
static const double SHRINKS = 0.95;

/* ---- The finest level -------------------------------------------------------------------------- */

static pen_status finest(const pen_pagrid_graph *graph, pen_estimate_units units, pagrid_level *level)
{
    int64_t *back, arcs = graph->rows[graph->count];
    bool mutual = true;
    level->count = graph->count;
    PEN_TRY(PEN_ALLOC(&level->rows, (int64_t)graph->count + 1));
    PEN_TRY(PEN_ALLOC(&level->arcs, arcs));
    PEN_TRY(PEN_ALLOC(&level->work, graph->count));
    PEN_TRY(PEN_ALLOC(&back, graph->count));
    memcpy(level->rows, graph->rows, ((size_t)graph->count + 1) * sizeof *level->rows);
    memcpy(back, graph->rows, (size_t)graph->count * sizeof *back);
    for (int64_t j = 0; j < arcs; j++) level->arcs[j] = (pagrid_arc){ .to = graph->columns[j] };
    /* Rows ascend, so arcs to a vertex occur in the order of its own row. */
    for (int32_t v = 0; v < graph->count && mutual; v++) {
        level->work[v] = units.work * (graph->work ? graph->work[v] : 1.0);
        for (int64_t j = graph->rows[v]; j < graph->rows[v + 1]; j++) {
            int32_t w = graph->columns[j];
            double data = units.data * (graph->weights ? graph->weights[j] : 1.0);
            bool reads = !graph->weights || graph->weights[j] > 0.0;
            mutual = mutual && w >= 0 && w < graph->count && w != v && back[w] < graph->rows[w + 1] &&
                     graph->columns[back[w]] == v;
            if (!mutual) break;
            pagrid_arc *other = &level->arcs[back[w]++];
            level->arcs[j].out = other->in = data;
            level->arcs[j].reads |= reads;
            other->reads |= 2 * reads;
        }
    }
    free(back);
    PEN_ARGUMENT(mutual, "neighbours of a graph for pagrid must be mutual and ascending");
    return PEN_OK;
}

/* ---- Groups ------------------------------------------------------------------------------------ */

typedef struct matching {
    const pagrid_level *level;
    const int32_t *start; /* processors at the start, or NULL */
    int32_t *map, *order; /* [count] group of each vertex; order in which vertices are visited */
    /* [2 * count] a vertex that waits for a partner, by its nearest neighbour; without a neighbour, by its start. */
    int32_t *waiting;
    double *sizes, most; /* [count] size of each group, and the largest permitted size */
    /* Factor by which work is multiplied in a vertex's size, the sum of its shares of the work and of the vertices. */
    double per_work;
    int32_t count; /* number of groups */
} matching;

static double size_of(const matching *c, int32_t v) { return c->per_work * c->level->work[v] + 1.0; }

/* The free neighbour with the strongest bond, the smallest of equal ones; *nearest becomes the neighbour with the
 * strongest bond of all. */
static int32_t partner_of(const matching *c, int32_t v, int32_t *nearest)
{
    const pagrid_level *l = c->level;
    double best = -1.0, bound = -1.0, smallest = 0.0, own = size_of(c, v);
    int32_t found = NOBODY;
    *nearest = NOBODY;
    for (int64_t j = l->rows[v]; j < l->rows[v + 1]; j++) {
        const pagrid_arc *arc = &l->arcs[j];
        double binds = arc->out + arc->in;
        if (c->start && c->start[arc->to] != c->start[v]) continue;
        if (binds > bound) {
            bound = binds;
            *nearest = arc->to;
        }
        if (c->map[arc->to] != NOBODY || binds < best) continue;
        double size = size_of(c, arc->to);
        if (own + size > c->most || (binds == best && size >= smallest)) continue;
        best = binds;
        smallest = size;
        found = arc->to;
    }
    return found;
}

static void join(matching *c, int32_t v, int32_t group)
{
    c->map[v] = group;
    c->sizes[group] += size_of(c, v);
}

static void pair_up(matching *c, int32_t v, int32_t w)
{
    c->sizes[c->count] = 0.0;
    join(c, v, c->count);
    join(c, w, c->count++);
}

/* Let a vertex without a partner join its nearest neighbour's group, or pair up with another such vertex. */
static void take_in(matching *c, int32_t v)
{
    int32_t nearest, *other, w, count = c->level->count;
    partner_of(c, v, &nearest);
    if (nearest != NOBODY && c->map[nearest] != NOBODY && c->sizes[c->map[nearest]] + size_of(c, v) <= c->most) {
        join(c, v, c->map[nearest]);
        return;
    }
    int32_t meeting = nearest;
    if (nearest == NOBODY) meeting = count + (c->start ? c->start[v] % count : 0);
    other = &c->waiting[meeting];
    w = *other;
    if (w != NOBODY && (!c->start || c->start[v] == c->start[w]) && size_of(c, v) + size_of(c, w) <= c->most) {
        pair_up(c, v, w);
        *other = NOBODY;
    } else *other = v;
}

static void shuffle(int32_t *order, int32_t count, uint64_t seed)
{
    for (int32_t k = 0; k < count; k++) {
        int32_t other = (int32_t)pen_hash_range(pen_mix(seed + (uint64_t)k), (uint64_t)k + 1);
        order[k] = order[other];
        order[other] = k;
    }
}

/* Number the groups in the order of their first vertices, which preserves locality. */
static void number(matching *c, int32_t *numbers)
{
    int32_t next = 0;
    for (int32_t k = 0; k < c->count; k++) numbers[k] = NOBODY;
    for (int32_t v = 0; v < c->level->count; v++) {
        int32_t *its = &numbers[c->map[v]];
        if (*its == NOBODY) *its = next++;
        c->map[v] = *its;
    }
}

static void find_groups(matching *c, uint64_t seed)
{
    int32_t count = c->level->count, nearest;
    shuffle(c->order, count, seed);
    for (int32_t v = 0; v < count; v++) c->map[v] = c->waiting[v] = c->waiting[count + v] = NOBODY;
    for (int32_t k = 0; k < count; k++) {
        int32_t v = c->order[k];
        int32_t w = c->map[v] == NOBODY ? partner_of(c, v, &nearest) : NOBODY;
        if (w != NOBODY) pair_up(c, v, w);
    }
    for (int32_t k = 0; k < count; k++)
        if (c->map[c->order[k]] == NOBODY) take_in(c, c->order[k]);
    for (int32_t v = 0; v < count; v++)
        if (c->map[v] == NOBODY) {
            c->sizes[c->count] = 0.0;
            join(c, v, c->count++);
        }
    number(c, c->order);
}

/* ---- Contraction ------------------------------------------------------------------------------- */

static void merge_arcs(const pagrid_level *fine, const int32_t *map, int32_t v, int64_t *place, pagrid_level *coarse,
                       int64_t *end)
{
    int32_t group = map[v];
    for (int64_t j = fine->rows[v]; j < fine->rows[v + 1]; j++) {
        const pagrid_arc *arc = &fine->arcs[j];
        int32_t to = map[arc->to];
        if (to == group) continue;
        if (place[to] < coarse->rows[group]) {
            place[to] = (*end)++;
            coarse->arcs[place[to]] = (pagrid_arc){ .to = to };
        }
        pagrid_arc *sum = &coarse->arcs[place[to]];
        sum->out += arc->out;
        sum->in += arc->in;
        sum->reads |= arc->reads;
    }
}

static pen_status merge(const pagrid_level *fine, const int32_t *map, int32_t *next, int32_t *first, int64_t *place,
                        pagrid_level *coarse)
{
    int64_t end = 0;
    for (int32_t k = 0; k < coarse->count; k++) {
        first[k] = NOBODY;
        place[k] = -1;
        coarse->work[k] = 0.0;
    }
    for (int32_t v = fine->count - 1; v >= 0; v--) {
        next[v] = first[map[v]];
        first[map[v]] = v;
    }
    for (int32_t k = 0; k < coarse->count; k++) {
        coarse->rows[k] = end;
        for (int32_t v = first[k]; v != NOBODY; v = next[v]) {
            coarse->work[k] += fine->work[v];
            merge_arcs(fine, map, v, place, coarse, &end);
        }
    }
    coarse->rows[coarse->count] = end;
    return PEN_REALLOC(&coarse->arcs, end);
}

pen_status pen_pagrid_contract(const pagrid_level *fine, const int32_t *map, int32_t count, pagrid_level *coarse)
{
    int32_t *next = NULL, *first = NULL;
    int64_t *place = NULL;
    *coarse = (pagrid_level){ .count = count };
    pen_status status = PEN_ALLOC(&next, fine->count);
    if (status == PEN_OK) status = PEN_ALLOC(&first, count);
    if (status == PEN_OK) status = PEN_ALLOC(&place, count);
    if (status == PEN_OK) status = PEN_ALLOC(&coarse->rows, (int64_t)count + 1);
    if (status == PEN_OK) status = PEN_ALLOC(&coarse->arcs, fine->rows[fine->count]);
    if (status == PEN_OK) status = PEN_ALLOC(&coarse->work, count);
    if (status == PEN_OK) status = merge(fine, map, next, first, place, coarse);
    PEN_FREE_ALL(next, first, place);
    return status;
}

/* ---- All levels -------------------------------------------------------------------------------- */

/* Make the next coarser level; *coarser: whether there is one. */
static pen_status coarsen(pagrid_level *fine, const int32_t *start, int64_t enough, uint64_t seed, bool *coarser,
                          pagrid_level *coarse)
{
    double work = 0.0;
    matching c = { .level = fine, .start = start };
    for (int32_t v = 0; v < fine->count; v++) work += fine->work[v];
    c.per_work = work > 0.0 ? fine->count / work : 0.0;
    c.most = 2.0 * 1.5 * fine->count / (double)enough;
    pen_status status = PEN_ALLOC(&c.map, fine->count);
    if (status == PEN_OK) status = PEN_ALLOC(&c.order, fine->count);
    if (status == PEN_OK) status = PEN_ALLOC(&c.waiting, 2 * (int64_t)fine->count);
    if (status == PEN_OK) status = PEN_ALLOC(&c.sizes, fine->count);
    if (status == PEN_OK) find_groups(&c, seed);
    *coarser = status == PEN_OK && c.count < SHRINKS * fine->count;
    if (*coarser) status = pen_pagrid_contract(fine, c.map, c.count, coarse);
    PEN_FREE_ALL(c.order, c.waiting, c.sizes);
    if (*coarser) fine->map = c.map;
    else free(c.map);
    return status;
}

/* Project start[] to the groups, in place: a group's number is not above the numbers of its vertices. */
static void project(const pagrid_level *fine, int32_t *start)
{
    for (int32_t v = 0; v < fine->count; v++) start[fine->map[v]] = start[v];
}

pen_status pen_pagrid_levels_create(const pen_pagrid_graph *graph, pen_estimate_units units, const int32_t *start,
                                    int64_t enough, uint64_t seed, pagrid_levels *levels)
{
    int32_t *starts = NULL;
    bool coarser = true;
    *levels = (pagrid_levels){ .count = 0 };
    pen_status status = PEN_ALLOC_ZERO(&levels->levels, MOST_LEVELS);
    if (status == PEN_OK && start) status = PEN_ALLOC(&starts, graph->count);
    if (status == PEN_OK && start && graph->count > 0) memcpy(starts, start, (size_t)graph->count * sizeof *start);
    if (status == PEN_OK) {
        levels->count = 1;
        status = finest(graph, units, &levels->levels[0]);
    }
    while (status == PEN_OK && coarser && levels->count < MOST_LEVELS) {
        pagrid_level *last = &levels->levels[levels->count - 1];
        if (last->count <= enough) break;
        status = coarsen(last, starts, enough, pen_mix(seed) + (uint64_t)levels->count, &coarser, last + 1);
        levels->count += coarser;
        if (coarser && starts && status == PEN_OK) project(last, starts);
    }
    free(starts);
    return status;
}

void pen_pagrid_level_free(pagrid_level *level)
{
    PEN_FREE_ALL(level->rows, level->arcs, level->work, level->map);
    *level = (pagrid_level){ .count = 0 };
}

void pen_pagrid_levels_free(pagrid_levels *levels)
{
    for (int k = 0; k < levels->count; k++) pen_pagrid_level_free(&levels->levels[k]);
    free(levels->levels);
    *levels = (pagrid_levels){ .count = 0 };
}
