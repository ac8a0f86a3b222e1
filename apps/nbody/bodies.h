/* bodies.h - the initial bodies of a run: drawn at random, or read from a file. All functions are Local. They return
 * NULL, or a sentence about an error, valid until the next call. The caller frees set->bodies, also after a failure. */
#pragma once

#include <inttypes.h>

typedef struct bodies_body {
    double place[3], velocity[3], mass;
} bodies_body;

/* The bodies, numbered from 0 to count - 1. */
typedef struct bodies_set {
    bodies_body *bodies; /* [count] the bodies */
    int64_t count;
} bodies_set;

/* Draw `count` bodies, even, >= 2, of mass 1 / count. Half of them form a Plummer sphere of radius 1 and mass 1/2 (G =
 * 1) up to r = 9, with its velocities by von Neumann's rejection. The other half is the same, shifted by 64 / (9 pi) in
 * each direction: two spheres about to merge. Their common centre rests at 0. */
const char *pen_bodies_draw(int64_t count, uint64_t seed, bodies_set *set);

/* Read the bodies of a file: a NumPy array of shape (N, 7) if its name ends in ".npy", else text with a line for each
 * body; mass, place, velocity. Blank lines and lines that begin with # are ignored. Masses are > 0, all numbers finite,
 * and there is at least one body. */
const char *pen_bodies_read(const char *path, bodies_set *set);
