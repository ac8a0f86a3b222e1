/* batch_one.c - runs tests of core_tests (support/batch.c) with all ranks in one process, from a seed:
 *
 *     core_one_process RANKS HOSTS SEED TEST[:CASE] ...
 *
 * Each test has a process of its own, a folder of its own, and ends with a line: "case TEST SECONDS", or "failed TEST".
 * Exit status 1 where one fails. */
#include "tests/support/batch_table.h"
#include "tests/support/one_process/one_process.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Exit status of a test's process that has come to its end; 0 may be that of a test that calls exit. */
enum { PASSED = 21 };

static bool failed;

static void run(int rank, void *context)
{
    batch_world = MPI_COMM_WORLD;
    if (batch_run(context)) failed = true;
}

/* Whether it passes. */
static bool in_process(const batch_case *c, const one_process *settings)
{
    int status = 1;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        mkdir(c->name, 0777);
        if (chdir(c->name) != 0) _exit(1);
        one_process_variables(c->variables, c->end);
        one_process_run(settings, run, (void *)(uintptr_t)c, NULL);
        exit(failed ? 1 : PASSED);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == PASSED;
}

int main(int argc, char **argv)
{
    int failures = 0;
    if (argc < 4) return 2;
    const one_process settings = {
        .ranks = atoi(argv[1]), .hosts = atoi(argv[2]), .seed = strtoull(argv[3], NULL, 10), .faulty = -1
    };
    for (int i = 4; i < argc; i++) {
        const batch_case *c = batch_find(argv[i]);
        struct timespec begun, ended;
        clock_gettime(CLOCK_MONOTONIC, &begun);
        const bool passed = in_process(c, &settings);
        clock_gettime(CLOCK_MONOTONIC, &ended);
        failures += !passed;
        if (!passed) printf("failed %s\n", c->name);
        else
            printf("case %s %.2f\n", c->name,
                   (double)(ended.tv_sec - begun.tv_sec) + 1e-9 * (double)(ended.tv_nsec - begun.tv_nsec));
        fflush(stdout);
    }
    return failures > 0;
}
