/* batch_one.c - runs tests of core_tests (support/batch.c) with all ranks in one process, from a seed:
 *
 *     core_one_process RANKS HOSTS SEED NAME ...
 *
 * Each test has a process of its own, a folder of its own, and ends with a line: "case NAME SECONDS", or "failed NAME".
 * Exit status 1 where one fails. */
#include "tests/support/one_process/one_process.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CASE(name, argument)                \
    int name##_main(int argc, char **argv); \
    extern unsigned char __start_##name##_data[] __attribute__((weak)), __stop_##name##_data[] __attribute__((weak));
#include "batch_cases.h"
#undef CASE

typedef struct batch_case {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *argument;           /* or "" */
    unsigned char *variables, *end; /* its own ones with static storage */
} batch_case;

static const batch_case cases[] = {
#define CASE(name, argument) { #name, name##_main, argument, __start_##name##_data, __stop_##name##_data },
#include "batch_cases.h"
#undef CASE
};

extern MPI_Comm batch_world;

static bool failed;

static void run(int rank, void *context)
{
    const batch_case *c = context;
    char argument[4096], *arguments[] = { argument, argument, NULL }; /* tests may change theirs */
    (void)rank;
    batch_world = MPI_COMM_WORLD;
    snprintf(argument, sizeof argument, "%s", c->argument);
    if (c->run(*argument ? 2 : 1, arguments) != 0) failed = true;
}

static int in_process(const batch_case *c, const one_process *settings)
{
    int status = 1;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        mkdir(c->name, 0777);
        if (chdir(c->name) != 0) _exit(1);
        one_process_variables(c->variables, c->end);
        one_process_run(settings, run, (void *)(uintptr_t)c, NULL);
        exit(failed);
    }
    waitpid(child, &status, 0);
    return status;
}

int main(int argc, char **argv)
{
    int failures = 0;
    if (argc < 4) return 2;
    const one_process settings = {
        .ranks = atoi(argv[1]), .hosts = atoi(argv[2]), .seed = strtoull(argv[3], NULL, 10), .faulty = -1
    };
    for (int i = 4; i < argc; i++)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            if (strcmp(cases[k].name, argv[i]) != 0) continue;
            struct timespec begun, ended;
            clock_gettime(CLOCK_MONOTONIC, &begun);
            const int status = in_process(&cases[k], &settings);
            clock_gettime(CLOCK_MONOTONIC, &ended);
            failures += status != 0;
            if (status != 0) printf("failed %s\n", argv[i]);
            else
                printf("case %s %.2f\n", argv[i],
                       (double)(ended.tv_sec - begun.tv_sec) + 1e-9 * (double)(ended.tv_nsec - begun.tv_nsec));
            fflush(stdout);
        }
    return failures > 0;
}
