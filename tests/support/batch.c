/* batch.c - runs the tests that are named, one after the other, each in a folder of its own below the working one:
 *
 *     mpiexec -n RANKS core_tests NAME ...
 *
 * Each test ends with a line: "case NAME SECONDS", or "failed NAME". Exit status 1 where one fails. */
#include "tests/support/batch_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CASE(name, argument) int name##_main(int argc, char **argv);
#include "batch_cases.h"
#undef CASE

typedef struct batch_case {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *argument; /* or "" */
} batch_case;

static const batch_case cases[] = {
#define CASE(name, argument) { #name, name##_main, argument },
#include "batch_cases.h"
#undef CASE
};

static const batch_case *find(const char *name)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strcmp(cases[i].name, name) == 0) return &cases[i];
    fprintf(stderr, "core_tests: no test is called %s\n", name);
    exit(2);
}

/* What a test does to its folder and its two streams ends with it. */
static int run(const batch_case *c, int rank)
{
    char argument[4096], *arguments[] = { argument, argument, NULL }; /* tests may change theirs */
    snprintf(argument, sizeof argument, "%s", c->argument);
    int streams[2] = { dup(STDOUT_FILENO), dup(STDERR_FILENO) };
    if (rank == 0) mkdir(c->name, 0777);
    MPI_Comm_dup(MPI_COMM_WORLD, &batch_world);
    MPI_Barrier(batch_world);
    int failed = chdir(c->name) != 0;
    const double begun = MPI_Wtime();
    failed = c->run(*argument ? 2 : 1, arguments) != 0 || failed;
    fflush(stdout);
    dup2(streams[0], STDOUT_FILENO);
    dup2(streams[1], STDERR_FILENO);
    close(streams[0]);
    close(streams[1]);
    MPI_Comm_free(&batch_world);
    failed = chdir("..") != 0 || failed;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0 && failed) printf("failed %s\n", c->name);
    if (rank == 0 && !failed) printf("case %s %.2f\n", c->name, MPI_Wtime() - begun);
    fflush(stdout);
    return failed;
}

int main(int argc, char **argv)
{
    int rank = 0, failures = 0;
    pen_environment_prepare();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 1; i < argc; i++) failures += run(find(argv[i]), rank);
    MPI_Finalize();
    return failures > 0;
}
