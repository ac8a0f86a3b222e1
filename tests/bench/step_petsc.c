#include "tests/bench/step_petsc.h"

#include <stdlib.h>

#ifdef BENCH_PETSC

#include <math.h>
#include <petscmat.h>

struct petsc_peer {
    Mat matrix;
    Vec values[2];
    int current;
};

static void insert_rows(Mat matrix, const hand *h)
{
    hand_view view = hand_look(h);
    for (int32_t i = 0; i < view.count; i++) {
        PetscInt row = (PetscInt)(view.first + i), columns[6];
        PetscScalar entries[6];
        int degree = view.rows[i + 1] - view.rows[i];
        for (int k = 0; k < degree; k++) {
            columns[k] = (PetscInt)hand_gid(h, view.columns[view.rows[i] + k]);
            entries[k] = 1.0 / degree;
        }
        PetscCallAbort(PETSC_COMM_WORLD, MatSetValues(matrix, 1, &row, degree, columns, entries, INSERT_VALUES));
    }
    PetscCallAbort(PETSC_COMM_WORLD, MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
    PetscCallAbort(PETSC_COMM_WORLD, MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
}

petsc_peer *petsc_peer_create(const hand *h)
{
    hand_view view = hand_look(h);
    petsc_peer *peer = calloc(1, sizeof *peer);
    if (!peer) return NULL;
    PetscCallAbort(MPI_COMM_WORLD, PetscInitializeNoArguments());
    PetscCallAbort(PETSC_COMM_WORLD, MatCreateAIJ(PETSC_COMM_WORLD, view.count, view.count, PETSC_DETERMINE,
                                                  PETSC_DETERMINE, 6, NULL, 4, NULL, &peer->matrix));
    insert_rows(peer->matrix, h);
    PetscCallAbort(PETSC_COMM_WORLD, MatCreateVecs(peer->matrix, &peer->values[0], &peer->values[1]));
    PetscScalar *first;
    PetscCallAbort(PETSC_COMM_WORLD, VecGetArray(peer->values[0], &first));
    for (int32_t i = 0; i < view.count; i++) first[i] = view.values[i];
    PetscCallAbort(PETSC_COMM_WORLD, VecRestoreArray(peer->values[0], &first));
    return peer;
}

void petsc_peer_steps(petsc_peer *peer, int64_t steps)
{
    for (int64_t step = 0; step < steps; step++) {
        PetscCallAbort(PETSC_COMM_WORLD,
                       MatMult(peer->matrix, peer->values[peer->current], peer->values[peer->current ^ 1]));
        peer->current ^= 1;
    }
}

double petsc_peer_error(const petsc_peer *peer, const hand *h)
{
    hand_view view = hand_look(h);
    const PetscScalar *values;
    double worst = 0.0;
    PetscCallAbort(PETSC_COMM_WORLD, VecGetArrayRead(peer->values[peer->current], &values));
    for (int32_t i = 0; i < view.count; i++)
        worst = fmax(worst, fabs(values[i] - view.values[i]) / fmax(fabs(view.values[i]), 1.0));
    PetscCallAbort(PETSC_COMM_WORLD, VecRestoreArrayRead(peer->values[peer->current], &values));
    return worst;
}

void petsc_peer_destroy(petsc_peer *peer)
{
    if (!peer) return;
    PetscCallAbort(PETSC_COMM_WORLD, VecDestroy(&peer->values[0]));
    PetscCallAbort(PETSC_COMM_WORLD, VecDestroy(&peer->values[1]));
    PetscCallAbort(PETSC_COMM_WORLD, MatDestroy(&peer->matrix));
    PetscCallAbort(MPI_COMM_WORLD, PetscFinalize());
    free(peer);
}

#else

petsc_peer *petsc_peer_create(const hand *h) { return (void)h, NULL; }
void petsc_peer_steps(petsc_peer *peer, int64_t steps) { (void)peer, (void)steps; }
double petsc_peer_error(const petsc_peer *peer, const hand *h) { return (void)peer, (void)h, 0.0; }
void petsc_peer_destroy(petsc_peer *peer) { (void)peer; }

#endif
