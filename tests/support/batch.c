/* batch.c - runs tests, one after the other, each in a folder of its own below the working one:
 *
 *     mpiexec -n RANKS core_tests [--list] [--case=]TEST[:CASE] ...
 *
 * --list prints the names of the tests, and of the cases that they run; CASE is how those begin that are wanted.
 * Each test ends with a line: "case TEST SECONDS", or "failed TEST". Exit status 1 where one fails. */
#include "tests/support/batch_table.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a test does to its folder and its two streams ends with it. */
static int run(const batch_case *c, int rank)
{
    int streams[2] = { dup(STDOUT_FILENO), dup(STDERR_FILENO) };
    if (rank == 0) mkdir(c->name, 0777);
    MPI_Comm_dup(MPI_COMM_WORLD, &batch_world);
    MPI_Barrier(batch_world);
    int failed = chdir(c->name) != 0;
    const double begun = MPI_Wtime();
    failed = batch_run(c) || failed;
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
    if (argc == 2 && strcmp(argv[1], "--list") == 0) return batch_list(), 0;
    pen_environment_prepare();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 1; i < argc; i++) {
        const char *value = strncmp(argv[i], "--case=", 7) == 0 ? argv[i] + 7 : argv[i];
        failures += run(batch_find(value), rank);
    }
    MPI_Finalize();
    return failures > 0;
}
