/* petsc_sf.h - PETSc's PetscSF as a peer: the shadows are its leaves, the owned nodes its roots. Built without PETSc
 * (COMM_PETSC not defined) there are none. */
#pragma once

#include "store/store.h"

typedef struct petsc_sf petsc_sf;

/* Local. The name of the i-th back-end, NULL behind the last one; whether the one of that name uses windows. */
const char *pen_petsc_sf_name(int i);
bool pen_petsc_sf_one_sided(const char *name);

/* Collective. For the first field of a store that is open, whose next plane gets shadows. PEN_ERR_ENVIRONMENT: PETSc
 * refuses. */
PEN_CHECKED pen_status pen_petsc_sf_create(const pen_store *store, const char *name, petsc_sf **sf);

/* Collective. A failure ends the program, as in a step. */
void pen_petsc_sf_pull(petsc_sf *sf, const unsigned char *roots, unsigned char *leaves);

/* Collective. Nulls *sf; NULL is legal. */
void pen_petsc_sf_destroy(petsc_sf **sf);

/* Collective, before MPI_Finalize and after all are destroyed. */
void pen_petsc_sf_finish(void);
