/* finalize.h - ends MPI, in programs of the project. */
#pragma once

/* Collective. MPI_Finalize. On a busy machine, a program that runs under Open MPI 4 without mpirun sometimes dies of
 * SIGSEGV there, because a thread of Open MPI calls a component that has just been unloaded. This function keeps
 * components in memory. */
void pen_finalize(void);
