/* step_petsc.h - PETSc's MatMult with the averaging matrix, as a peer of step.c. Without PETSc (BENCH_PETSC
 * not defined) there is none. */
#pragma once

#include "tests/bench/hand.h"

typedef struct petsc_peer petsc_peer;

/* Collective. The matrix of the field's rows, 1/degree each, and the values of `h`, which has made no step
 * yet; NULL without PETSc. */
petsc_peer *petsc_peer_create(const hand *h);

/* Collective. */
void petsc_peer_steps(petsc_peer *peer, int64_t steps);

/* Local. The largest relative difference of this rank's values from those of `h`. */
double petsc_peer_error(const petsc_peer *peer, const hand *h);

/* Collective; NULL is legal. */
void petsc_peer_destroy(petsc_peer *peer);
