#include "tests/bench/cg_petsc.h"

#include <stdlib.h>

#ifdef BENCH_PETSC

#include <petscksp.h>

struct petsc_cg {
    Mat matrix;
    Vec right, solution;
    KSP solver;
    int most;
    double *residuals; /* [most+1] */
};

#define REQUIRE(call) PetscCallAbort(PETSC_COMM_WORLD, call)

static void insert_rows(Mat matrix, const hand *h, double sigma)
{
    hand_view view = hand_look(h);
    for (int32_t i = 0; i < view.count; i++) {
        PetscInt row = (PetscInt)(view.first + i), columns[7] = { row };
        int degree = view.rows[i + 1] - view.rows[i];
        PetscScalar entries[7] = { degree + sigma };
        for (int k = 0; k < degree; k++) {
            columns[1 + k] = (PetscInt)hand_gid(h, view.columns[view.rows[i] + k]);
            entries[1 + k] = -1.0;
        }
        REQUIRE(MatSetValues(matrix, 1, &row, 1 + degree, columns, entries, INSERT_VALUES));
    }
    REQUIRE(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
    REQUIRE(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
    REQUIRE(MatSetOption(matrix, MAT_SPD, PETSC_TRUE));
}

static void make_solver(petsc_cg *peer)
{
    PC preconditioner;
    REQUIRE(KSPCreate(PETSC_COMM_WORLD, &peer->solver));
    REQUIRE(KSPSetOperators(peer->solver, peer->matrix, peer->matrix));
    REQUIRE(KSPSetType(peer->solver, KSPCG));
    REQUIRE(KSPGetPC(peer->solver, &preconditioner));
    REQUIRE(PCSetType(preconditioner, PCNONE));
    REQUIRE(KSPSetResidualHistory(peer->solver, peer->residuals, peer->most + 1, PETSC_TRUE));
    REQUIRE(KSPSetUp(peer->solver));
}

petsc_cg *petsc_cg_create(const hand *h, double sigma, const double *right, int most)
{
    hand_view view = hand_look(h);
    petsc_cg *peer = calloc(1, sizeof *peer);
    if (!peer) return NULL;
    peer->most = most;
    peer->residuals = calloc((size_t)most + 1, sizeof *peer->residuals);
    PetscCallAbort(MPI_COMM_WORLD, PetscInitializeNoArguments());
    REQUIRE(MatCreateAIJ(PETSC_COMM_WORLD, view.count, view.count, PETSC_DETERMINE, PETSC_DETERMINE, 7, NULL, 4, NULL,
                         &peer->matrix));
    insert_rows(peer->matrix, h, sigma);
    REQUIRE(MatCreateVecs(peer->matrix, &peer->solution, &peer->right));
    PetscScalar *values;
    REQUIRE(VecGetArray(peer->right, &values));
    for (int32_t i = 0; i < view.count; i++) values[i] = right[i];
    REQUIRE(VecRestoreArray(peer->right, &values));
    make_solver(peer);
    return peer;
}

void petsc_cg_solve(petsc_cg *peer, int iterations)
{
    /* Tolerances that are never reached. */
    REQUIRE(KSPSetTolerances(peer->solver, 1e-300, 1e-300, 1e300, iterations));
    REQUIRE(KSPSolve(peer->solver, peer->right, peer->solution));
}

const double *petsc_cg_residuals(const petsc_cg *peer) { return peer->residuals; }

void petsc_cg_destroy(petsc_cg *peer)
{
    if (!peer) return;
    REQUIRE(KSPDestroy(&peer->solver));
    REQUIRE(VecDestroy(&peer->right));
    REQUIRE(VecDestroy(&peer->solution));
    REQUIRE(MatDestroy(&peer->matrix));
    PetscCallAbort(MPI_COMM_WORLD, PetscFinalize());
    free(peer->residuals);
    free(peer);
}

#else

petsc_cg *petsc_cg_create(const hand *h, double sigma, const double *right, int most)
{
    return (void)h, (void)sigma, (void)right, (void)most, NULL;
}
void petsc_cg_solve(petsc_cg *peer, int iterations) { (void)peer, (void)iterations; }
const double *petsc_cg_residuals(const petsc_cg *peer) { return (void)peer, NULL; }
void petsc_cg_destroy(petsc_cg *peer) { (void)peer; }

#endif
