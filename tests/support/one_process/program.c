/* program.c - the main function of a program that penumbra_one_process has built:
 *
 *     PROGRAM_one_process [--ranks=N] [--hosts=N] [--seed=N] [--stacks] [--trace]
 *                         [--faulty=RANK --dies-at=CALL | --fails-at=CALL] ARGUMENT ...
 *
 * --stacks: one thread does the work of all ranks, which is much faster, but debuggers do not know the ranks then.
 *
 * The program's own main function, which has another name there, runs as each rank with the arguments after these. The
 * exit status is the highest of all ranks. */
#include "tests/support/one_process/sim.h"

#include <stdlib.h>

int pen_one_process_main(int argc, char **argv);

typedef struct program {
    int argc, status;
    char **argv;
} program;

static void run(int rank, void *context)
{
    program *p = context;
    (void)rank;
    char **copy = sim_allocate(((size_t)p->argc + 1) * sizeof *copy),
         **own = sim_allocate(((size_t)p->argc + 1) * sizeof *own);
    for (int i = 0; i < p->argc; i++) own[i] = copy[i] = strdup(p->argv[i]);
    const int status = pen_one_process_main(p->argc, own);
    if (status > p->status) p->status = status;
    for (int i = 0; i < p->argc; i++) free(copy[i]);
    free(copy);
    free(own);
}

static bool number(const char *argument, const char *name, long long *value)
{
    const size_t length = strlen(name);
    if (strncmp(argument, name, length) != 0) return false;
    char *end;
    *value = strtoll(argument + length, &end, 10);
    if (end != argument + length && *end == '\0' && *value >= 0) return true;
    fprintf(stderr, "%s is not a number\n", argument);
    exit(2);
}

int main(int argc, char **argv)
{
    one_process settings = { .threads = true, .faulty = -1 };
    long long ranks = 4, hosts = 1, seed = 1, rank = -1;
    program p = { 1, 0, argv };
    int i = 1;
    for (long long call = 0; i < argc; i++) {
        if (strcmp(argv[i], "--trace") == 0) settings.trace = true;
        else if (strcmp(argv[i], "--stacks") == 0) settings.threads = false;
        else if (number(argv[i], "--dies-at=", &call)) settings.dies_at = call;
        else if (number(argv[i], "--fails-at=", &call)) settings.fails_at = call;
        else if (!number(argv[i], "--ranks=", &ranks) && !number(argv[i], "--hosts=", &hosts) &&
                 !number(argv[i], "--seed=", &seed) && !number(argv[i], "--faulty=", &rank))
            break;
    }
    while (i < argc) argv[p.argc++] = argv[i++];
    if (ranks < 1 || ranks > 4096 || hosts < 1 || hosts > ranks) {
        fprintf(stderr, "--ranks=%lld is not in 1..4096, or --hosts=%lld not in 1..ranks\n", ranks, hosts);
        return 2;
    }
    settings.ranks = (int)ranks;
    settings.hosts = (int)hosts;
    settings.seed = (uint64_t)seed;
    settings.faulty = (int)rank;
    sim_expects_init = true;
    one_process_run(&settings, run, &p, NULL);
    return p.status;
}
