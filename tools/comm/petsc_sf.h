/* petsc_sf.h - PETSc's PetscSF as a competitor: leaves are the shadows, roots the owned nodes. Without PETSc
 * (COMM_PETSC not defined) there are no back-ends. */
#pragma once

#include "store/store.h"

typedef struct petsc_sf petsc_sf;

/* Local. The name of the i-th back-end, NULL after the last one; and whether a back-end uses windows. */
const char *pen_petsc_sf_name(int i);
bool pen_petsc_sf_one_sided(const char *name);

/* Collective. Create PetscSF for the first field of an open store; shadows are stored in its next plane.
 * PEN_ERR_ENVIRONMENT: PETSc refuses. */
PEN_CHECKED pen_status pen_petsc_sf_create(const pen_store *store, const char *name, petsc_sf **sf);

/* Collective. Pull. A failure ends the program, as in a step. */
void pen_petsc_sf_pull(petsc_sf *sf, const unsigned char *roots, unsigned char *leaves);

/* Collective. Destroy. Nulls *sf; NULL is legal. */
void pen_petsc_sf_destroy(petsc_sf **sf);

/* Collective, before MPI_Finalize and after all are destroyed. Finalise PETSc. */
void pen_petsc_sf_finish(void);
