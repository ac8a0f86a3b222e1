/* batch_world.h - several test programs as one, so that one launch runs them all. The build compiles each of them with
 * CHECK_BATCH and another name of main, which batch.c calls: MPI has begun, and MPI_COMM_WORLD is a communicator of the
 * test's own. Included by check.h. */
#pragma once

#include <penumbra.h>

extern MPI_Comm batch_world;

#ifdef CHECK_BATCH
int main(int argc, char **argv); /* by its other name */
#undef MPI_COMM_WORLD
#define MPI_COMM_WORLD batch_world
#define MPI_Init(count, values) ((void)(count), (void)(values))
#define MPI_Finalize() MPI_SUCCESS
#define pen_environment_prepare() ((void)0)
#endif
