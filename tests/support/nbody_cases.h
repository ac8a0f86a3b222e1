/* nbody_cases.h - bodies that the tests of nbody begin with. Masses differ, numbers are in no order of places. */
#pragma once

#include "apps/nbody/bodies.h"
#include "base/hash.h"

#include <stdlib.h>

typedef enum cases_kind {
    CASES_BALLS,    /* three small ones, which fly towards each other through empty space */
    CASES_CUBE,     /* everywhere in it, at random */
    CASES_BURST,    /* at nearly one place, flying apart: deep branches vanish */
    CASES_CRASH,    /* far apart, flying to nearly one place: deep branches grow */
    CASES_FACES,    /* on the faces and corners of cells, symmetrical, some at one place; at rest */
    CASES_ONE_LEAF, /* as CASES_CUBE, with room for all in a leaf */
    CASES_KINDS
} cases_kind;

/* In [-1, 1). */
static inline double cases_draw(uint64_t seed, int64_t body, int what)
{
    return 2.0 * pen_unit_real(pen_mix(pen_mix(seed) + 64 * (uint64_t)body + (uint64_t)what)) - 1.0;
}

static inline void cases_place_body(cases_kind kind, uint64_t seed, int64_t i, bodies_body *b)
{
    for (int k = 0; k < 3; k++) {
        double place = cases_draw(seed, i, k), drift = cases_draw(seed, i, 3 + k);
        double ball = (i + k) % 3 == 0 ? 3.0 : -1.0;
        b->place[k] = kind == CASES_CUBE || kind == CASES_ONE_LEAF ? 4.0 * place : place;
        b->velocity[k] = 0.3 * drift;
        if (kind == CASES_BALLS) b->place[k] = ball + 0.4 * place;
        if (kind == CASES_BALLS) b->velocity[k] = 0.2 * drift - ball;
        if (kind == CASES_BURST) b->place[k] = 0.7 + 0.01 * place;
        if (kind == CASES_BURST) b->velocity[k] = 6.0 * drift;
        if (kind == CASES_CRASH) b->place[k] = 0.7 + 3.0 * place;
        if (kind == CASES_CRASH) b->velocity[k] = -10.0 * place; /* there at 0.3 */
        if (kind == CASES_FACES) b->place[k] = 0.5 * (double)(i / 2 % 343 / (k == 0 ? 1 : k == 1 ? 7 : 49) % 7 - 3);
        if (kind == CASES_FACES) b->velocity[k] = 0.0;
    }
    b->mass = (kind == CASES_FACES ? 1.0 : 1.5 + cases_draw(seed, i, 6)) / 256.0;
}

/* The caller frees set->bodies. */
static inline bodies_set cases_place(cases_kind kind, int64_t count, uint64_t seed)
{
    bodies_set set = { malloc((size_t)count * sizeof *set.bodies), count };
    for (int64_t i = 0; i < count; i++) cases_place_body(kind, seed, i, &set.bodies[i]);
    return set;
}
