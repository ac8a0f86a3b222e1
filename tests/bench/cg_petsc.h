/* cg_petsc.h - PETSc's conjugate gradients without a preconditioner, as a peer of cg.c. Without PETSc (BENCH_PETSC not
 * defined) there is none. */
#pragma once

#include "tests/bench/hand.h"

typedef struct petsc_cg petsc_cg;

/* Collective. The Laplacian of the field's rows with sigma added to its diagonal, as an AIJ matrix, and a right-hand
 * side [nodes of this rank]; room for residuals of so many iterations. NULL without PETSc. */
petsc_cg *petsc_cg_create(const hand *h, double sigma, const double *right, int most);

/* Collective. So many iterations, from 0. */
void petsc_cg_solve(petsc_cg *peer, int iterations);

/* Local. |r| of the last solution, [iterations+1]; the first is that of 0. */
const double *petsc_cg_residuals(const petsc_cg *peer);

/* Collective; NULL is legal. */
void petsc_cg_destroy(petsc_cg *peer);
