#include "partition/pagrid/refine.h"
#include "base/memory.h"

#include <stdlib.h>

enum {
    MOST_LOOKS = 12 /* at a vertex, in the mean: a bound on what the last small gains cost */
};

/* A move must gain at least this part of the objective, so that rounding does not pass for a gain. */
static const double LEAST_GAIN = 1e-13;

/* A ring of vertices that are to be looked at, each once. */
typedef struct ring {
    int32_t *vertices; /* [size] */
    bool *inside;      /* [size] by vertex */
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

/* Whether it moved. */
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

pen_status pen_pagrid_refine(pagrid_state *s, bool everywhere)
{
    const pagrid_level *l = s->level;
    ring r = { .size = l->count };
    pen_status status = PEN_ALLOC(&r.vertices, l->count);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&r.inside, l->count);
    if (status == PEN_OK)
        for (int32_t v = 0; v < l->count; v++)
            if (everywhere || at_border(s, v)) put(&r, v);
    for (int64_t looks = (int64_t)MOST_LOOKS * r.count; status == PEN_OK && r.count > 0 && looks > 0; looks--) {
        int32_t v = take(&r);
        if (!improve(s, v, everywhere)) continue;
        for (int64_t j = l->rows[v]; j < l->rows[v + 1]; j++) put(&r, l->arcs[j].to);
    }
    PEN_FREE_ALL(r.vertices, r.inside);
    return status;
}
