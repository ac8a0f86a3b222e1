/* batch_world.h - several test programs as one, so that one launch runs them all. The build compiles each of them with
 * CHECK_BATCH and another name of main, which batch.c calls: MPI has begun, and MPI_COMM_WORLD is a communicator of the
 * test's own. Included by check.h. */
#pragma once

#include <penumbra.h>

extern MPI_Comm batch_world;

typedef struct batch_case {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *argument;           /* or "" */
    unsigned char *variables, *end; /* its own ones with static storage, if ranks share a process */
} batch_case;

/* The test `name`, or that of `name:CASE`, where $PEN_CASE becomes CASE (check.h); ends the program if there is none.
 */
const batch_case *batch_find(const char *name);

/* The folder of its own is the working one. Returns whether it fails. */
bool batch_run(const batch_case *c);

/* Print the tests, and the cases that they RUN, each as batch_find takes it. */
void batch_list(void);

#ifdef CHECK_BATCH
int main(int argc, char **argv); /* by its other name */
#undef MPI_COMM_WORLD
#define MPI_COMM_WORLD batch_world
#define MPI_Init(count, values) ((void)(count), (void)(values))
#define MPI_Finalize() MPI_SUCCESS
#define pen_environment_prepare() ((void)0)
#endif
