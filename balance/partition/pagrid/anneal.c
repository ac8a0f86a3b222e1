/* anneal.c - simulated annealing of a partition. */
#include "partition/pagrid/anneal.h"
#include "base/hash.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* Trials at one temperature. Times are computed again afterwards, so that rounding errors do not add up. */
    STAGE = 1024,
    /* The objective is a sum of 8th powers: the longest times matter most, and so do all times near them. */
    SQUARINGS = 3
};

typedef struct annealing {
    pagrid_state *state;
    uint64_t random;
    double heat; /* growth of the objective that is accepted with probability 1/e */
} annealing;

static uint64_t draw(annealing *a, uint64_t below) { return pen_hash_range(pen_mix(a->random++), below); }

static bool accepts(annealing *a, double growth)
{
    return growth <= 0.0 || (a->heat > 0.0 && pen_unit_real(pen_mix(a->random++)) < exp(-growth / a->heat));
}

/* Draw another vertex: mostly a neighbour, sometimes any vertex. */
static int32_t other_vertex(annealing *a, int32_t v)
{
    const pagrid_level *l = a->state->level;
    int64_t degree = l->rows[v + 1] - l->rows[v];
    if (degree > 0 && draw(a, 4) > 0) return l->arcs[l->rows[v] + (int64_t)draw(a, (uint64_t)degree)].to;
    return (int32_t)draw(a, (uint64_t)l->count);
}

static void try_move(annealing *a, int32_t v)
{
    pagrid_state *s = a->state;
    int32_t to = draw(a, 8) > 0 ? s->part[other_vertex(a, v)] : (int32_t)draw(a, (uint64_t)s->network->processors);
    if (to == s->part[v]) return;
    pen_pagrid_look(s, v);
    double growth = pen_pagrid_try(s, v, to);
    if (accepts(a, growth)) pen_pagrid_move(s, v, to, growth);
}

static double carry_out(pagrid_state *s, int32_t v, int32_t to)
{
    pen_pagrid_look(s, v);
    double growth = pen_pagrid_try(s, v, to);
    pen_pagrid_move(s, v, to, growth);
    return growth;
}

static void try_swap(annealing *a, int32_t v, int32_t u)
{
    pagrid_state *s = a->state;
    int32_t p = s->part[v], q = s->part[u];
    if (p == q) return;
    double first = carry_out(s, v, q);
    pen_pagrid_look(s, u);
    double second = pen_pagrid_try(s, u, p);
    if (accepts(a, first + second)) pen_pagrid_move(s, u, p, second);
    else carry_out(s, v, p);
}

static void stage(annealing *a, const pagrid_cooling *cooling, int64_t trials)
{
    uint64_t count = (uint64_t)a->state->level->count;
    for (int64_t k = 0; k < trials; k++) {
        int32_t v = (int32_t)draw(a, count);
        if (cooling->swaps_only) try_swap(a, v, (int32_t)draw(a, count));
        else if (draw(a, 2) > 0) try_move(a, v);
        else try_swap(a, v, other_vertex(a, v));
    }
}

pen_status pen_pagrid_anneal(pagrid_state *state, const pagrid_cooling *cooling)
{
    int32_t *best, longest;
    size_t bytes = (size_t)state->level->count * sizeof *best;
    if (state->level->count < 2 || state->network->processors < 2) return PEN_OK;
    annealing a = { .state = state, .random = pen_mix(cooling->seed) };
    double least = pen_pagrid_longest(state, &longest);
    PEN_TRY(PEN_ALLOC(&best, state->level->count));
    memcpy(best, state->part, bytes);
    for (int64_t done = 0; done < cooling->trials; done += STAGE) {
        double temperature = cooling->hot * pow(cooling->cold / cooling->hot, (double)done / (double)cooling->trials);
        pen_pagrid_aim(state, SQUARINGS);
        a.heat = temperature * state->objective * (1 << SQUARINGS);
        stage(&a, cooling, cooling->trials - done < STAGE ? cooling->trials - done : STAGE);
        pen_pagrid_recount(state);
        double now = pen_pagrid_longest(state, &longest);
        if (now < least) {
            least = now;
            memcpy(best, state->part, bytes);
        }
    }
    memcpy(state->part, best, bytes);
    pen_pagrid_recount(state);
    free(best);
    return PEN_OK;
}
