/* finalize.h - the end of MPI, in programs of the project. */
#pragma once

/* Collective. MPI_Finalize. A process that Open MPI 4 started without mpirun sometimes dies of SIGSEGV there on a busy
 * machine: a thread of Open MPI calls a component that has just been unloaded. So components stay in memory. */
void pen_finalize(void);
