/* initial.c - a first partition of the coarsest level. */
#include "partition/pagrid/initial.h"
#include "base/hash.h"
#include "base/memory.h"
#include "partition/pagrid/anneal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TRIES = 4,            /* number of tries for a bisection, each from another vertex */
    PASSES = 6,           /* largest number of passes that improve a bisection */
    TRIALS_PER_PAIR = 20, /* number of trials to swap two parts, per pair of parts */
    MOST_TRIALS = 200000
};

/* Data of a bisection. Vertices to be divided have part[v] == low; those of the upper half get `middle`. */
typedef struct bisection {
    const pagrid_level *level;
    const pagrid_network *network;
    int32_t *part;
    int32_t *vertices; /* [level->count] all vertices; those of a region are contiguous */
    int32_t *queue;    /* [level->count] queue of a breadth-first search */
    int32_t *seen;     /* [level->count] number of the last search that reached each vertex */
    int32_t *best;     /* [level->count] sides in the best try, by position in the region */
    double smallest;   /* weight of a vertex without work, so that these vertices are shared out, too */
    uint64_t random;
    int32_t searches;
} bisection;

typedef struct region {
    int32_t begin, end;        /* range of the region's vertices */
    int32_t low, middle, high; /* range of the processors, and where it is cut */
    /* Weight of all vertices; weight of the upper half, and the weight that it should have. */
    double weight, upper, least;
    double share, heaviest;
} region;

static double weight_of(const bisection *b, int32_t v) { return b->level->work[v] + b->smallest; }

/* Find where to cut the list of processors: between clusters, if there are several, as near as possible to half of the
 * speed. */
static int32_t cut_processors(const pen_machine *m, int32_t low, int32_t high)
{
    double half = 0.0, sum = 0.0, nearest = INFINITY;
    int32_t cut = low + 1;
    bool several = false;
    for (int32_t p = low; p < high; p++) {
        half += m->speeds[p] / 2;
        several = several || m->clusters[p] != m->clusters[low];
    }
    for (int32_t p = low + 1; p < high; p++) {
        sum += m->speeds[p - 1];
        if (several && m->clusters[p] == m->clusters[p - 1]) continue;
        if (fabs(sum - half) >= nearest) continue;
        nearest = fabs(sum - half);
        cut = p;
    }
    return cut;
}

pagrid_range pen_pagrid_half(const pagrid_network *network, pagrid_range range)
{
    const pen_machine *m = network->machine;
    int32_t middle = cut_processors(m, range.low, range.high);
    double lower = 0.0, upper = 0.0;
    for (int32_t p = range.low; p < middle; p++) lower += m->speeds[p];
    for (int32_t p = middle; p < range.high; p++) upper += m->speeds[p];
    return upper > lower ? (pagrid_range){ middle, range.high } : (pagrid_range){ range.low, middle };
}

/* Move vertices of the region to the upper half, breadth first from `seed`, until it has its share; without `take`,
 * only walk. Returns the last vertex. */
static int32_t grow(bisection *b, region *r, int32_t seed, bool take)
{
    const pagrid_level *l = b->level;
    int32_t first = 0, count = 0, next = r->begin, v = seed, search = ++b->searches;
    b->queue[count++] = seed;
    b->seen[seed] = search;
    while (!take || r->upper < r->share) {
        if (first == count) {
            while (next < r->end && b->seen[b->vertices[next]] == search) next++;
            if (next == r->end) break;
            b->queue[count++] = b->vertices[next];
            b->seen[b->vertices[next]] = search;
        }
        v = b->queue[first++];
        if (take && r->upper + weight_of(b, v) / 2 > r->share) break;
        if (take) {
            b->part[v] = r->middle;
            r->upper += weight_of(b, v);
        }
        for (int64_t j = l->rows[v]; j < l->rows[v + 1]; j++) {
            int32_t to = l->arcs[j].to;
            if (b->part[to] != r->low || b->seen[to] == search) continue;
            b->seen[to] = search;
            b->queue[count++] = to;
        }
    }
    return v;
}

/* The gain of moving a vertex to the other half: weight of its arcs to the other half minus weight of the arcs to its
 * own. */
static double gain_of(const bisection *b, const region *r, int32_t v)
{
    const pagrid_level *l = b->level;
    double gain = 0.0;
    for (int64_t j = l->rows[v]; j < l->rows[v + 1]; j++) {
        const pagrid_arc *arc = &l->arcs[j];
        int32_t side = b->part[arc->to];
        if (side == b->part[v]) gain -= arc->out + arc->in;
        else if (side == r->low || side == r->middle) gain += arc->out + arc->in;
    }
    return gain;
}

/* Move vertices if that makes the cut smaller, or the halves nearer to their shares. Returns twice the cut. */
static double improve(bisection *b, region *r)
{
    double cut = 0.0, slack = r->heaviest;
    for (int pass = 0, moved = 1; pass < PASSES && moved; pass++) {
        moved = 0;
        for (int32_t k = r->begin; k < r->end; k++) {
            int32_t v = b->vertices[k];
            bool up = b->part[v] == r->low;
            double after = r->upper + (up ? weight_of(b, v) : -weight_of(b, v)), gain = gain_of(b, r, v);
            double off = fabs(r->upper - r->share), off_after = fabs(after - r->share);
            bool helps = off_after < off;
            if (gain > 0.0) helps = helps || off_after <= slack;
            if (gain < 0.0) helps = helps && off > slack;
            if (!helps) continue;
            b->part[v] = up ? r->middle : r->low;
            r->upper = after;
            moved = 1;
        }
    }
    for (int32_t k = r->begin; k < r->end; k++) {
        const pagrid_level *l = b->level;
        int32_t v = b->vertices[k], other = r->low + r->middle - b->part[v];
        for (int64_t j = l->rows[v]; j < l->rows[v + 1]; j++)
            if (b->part[l->arcs[j].to] == other) cut += l->arcs[j].out + l->arcs[j].in;
    }
    return cut;
}

static void bisect(bisection *b, region *r)
{
    double least = INFINITY;
    for (int try = 0; try < TRIES; try++) {
        int32_t seed =
            b->vertices[r->begin + (int32_t)pen_hash_range(pen_mix(b->random++), (uint64_t)(r->end - r->begin))];
        for (int32_t k = r->begin; k < r->end; k++) b->part[b->vertices[k]] = r->low;
        r->upper = 0.0;
        seed = grow(b, r, seed, false);
        grow(b, r, seed, true);
        double cut = improve(b, r);
        if (cut >= least) continue;
        least = cut;
        for (int32_t k = r->begin; k < r->end; k++) b->best[k] = b->part[b->vertices[k]];
    }
    for (int32_t k = r->begin; k < r->end; k++) b->part[b->vertices[k]] = b->best[k];
}

static void divide(bisection *b, int32_t begin, int32_t end, int32_t low, int32_t high)
{
    if (high - low == 1 || begin == end) return;
    region r = {
        .begin = begin, .end = end, .low = low, .middle = cut_processors(b->network->machine, low, high), .high = high
    };
    double speeds[2] = { 0.0, 0.0 };
    for (int32_t p = low; p < high; p++) speeds[p >= r.middle] += b->network->machine->speeds[p];
    for (int32_t k = begin; k < end; k++) {
        double weight = weight_of(b, b->vertices[k]);
        r.weight += weight;
        r.heaviest = weight > r.heaviest ? weight : r.heaviest;
    }
    r.share = r.weight * speeds[1] / (speeds[0] + speeds[1]);
    bisect(b, &r);
    int32_t border = begin;
    for (int32_t k = begin; k < end; k++) {
        int32_t v = b->vertices[k];
        if (b->part[v] != low) continue;
        b->vertices[k] = b->vertices[border];
        b->vertices[border++] = v;
    }
    divide(b, begin, border, low, r.middle);
    divide(b, border, end, r.middle, high);
}

/* Assign parts to processors by annealing: each part is a vertex of a graph, and processors are swapped. */
static pen_status assign(const pagrid_level *level, const pagrid_network *network, uint64_t seed, int32_t *part)
{
    pagrid_level parts;
    pagrid_state state = { .level = NULL };
    int32_t *processor = NULL, count = network->processors;
    int64_t trials = (int64_t)count * count * TRIALS_PER_PAIR;
    const pagrid_cooling cooling = { trials < MOST_TRIALS ? trials : MOST_TRIALS, 0.03, 0.001, true, seed };
    pen_status status = pen_pagrid_contract(level, part, count, &parts);
    if (status == PEN_OK) status = PEN_ALLOC(&processor, count);
    for (int32_t p = 0; p < count && status == PEN_OK; p++) processor[p] = p;
    if (status == PEN_OK) status = pen_pagrid_state_create(&parts, network, processor, &state);
    if (status == PEN_OK) status = pen_pagrid_anneal(&state, &cooling);
    for (int32_t v = 0; v < level->count && status == PEN_OK; v++) part[v] = processor[part[v]];
    pen_pagrid_state_free(&state);
    pen_pagrid_level_free(&parts);
    free(processor);
    return status;
}

pen_status pen_pagrid_initial(const pagrid_level *level, const pagrid_network *network, pagrid_range range,
                              uint64_t seed, int32_t *part)
{
    bisection b = { .level = level, .network = network, .part = part, .random = pen_mix(seed) };
    double work = 0.0;
    for (int32_t v = 0; v < level->count; v++) work += level->work[v];
    b.smallest = work > 0.0 ? 1e-6 * work / level->count : 1.0;
    pen_status status = PEN_ALLOC(&b.vertices, level->count);
    if (status == PEN_OK) status = PEN_ALLOC(&b.queue, level->count);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&b.seen, level->count);
    if (status == PEN_OK) status = PEN_ALLOC(&b.best, level->count);
    for (int32_t v = 0; v < level->count && status == PEN_OK; v++) {
        b.vertices[v] = v;
        part[v] = range.low;
    }
    if (status == PEN_OK) divide(&b, 0, level->count, range.low, range.high);
    PEN_FREE_ALL(b.vertices, b.queue, b.seen, b.best);
    if (status == PEN_OK) status = assign(level, network, pen_mix(seed) + 1, part);
    return status;
}
