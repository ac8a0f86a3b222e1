/* program.c - the main function of a program that penumbra_one_process has built:
 *
 *     PROGRAM_one_process [--ranks=N] [--hosts=N] [--seed=N] [--stacks] [--trace]
 *                         [--faulty=RANK --dies-at=CALL | --fails-at=CALL]
 *                         [--machine=FILE [--work=T] [--overhead=T] [--eager=BYTES] [--served=T]] ARGUMENT ...
 *
 * --stacks: one thread does the work of all ranks, which is much faster, but debuggers do not know the ranks then.
 *
 * --machine: the ranks have clocks (clock.c), with the links of this machine, whose clusters are the hosts if --hosts
 * is not given. --work: seconds of a load of 1 (0: work takes no time); --overhead: seconds of the processor for each
 * message and get (2e-7); --eager: longest message that is sent without asking (8192); --served: the processors of
 * other hosts take so long to answer a get (0: they need not). The latest clock is printed at the end.
 *
 * The program's own main function, which has another name there, runs as each rank with the arguments after these. The
 * exit status is the highest of all ranks. */
#include "base/text_file.h"
#include "tests/support/one_process/sim.h"
#include "view/machine.h"
#include "view/network.h"

#include <stdlib.h>

int pen_one_process_main(int argc, char **argv);

typedef struct program {
    int argc, status;
    char **argv;
} program;

static void run(int rank, void *context)
{
    program *p = context;
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

static bool real(const char *argument, const char *name, double *value)
{
    const size_t length = strlen(name);
    if (strncmp(argument, name, length) != 0) return false;
    char *end;
    *value = strtod(argument + length, &end);
    if (end != argument + length && *end == '\0' && *value >= 0.0) return true;
    fprintf(stderr, "%s is not a number\n", argument);
    exit(2);
}

static void read_machine(const char *path, int ranks, one_process_clock *clock)
{
    char *text = NULL;
    FILE *in = NULL;
    pen_machine *machine;
    pen_status status = pen_text_open(path, &in);
    if (status == PEN_OK) status = pen_text_read("machine", path, in, &text);
    if (status == PEN_OK) status = pen_machine_parse(path, text, ranks, &machine);
    if (status != PEN_OK) {
        fprintf(stderr, "%s\n", pen_error_message());
        exit(2);
    }
    fclose(in);
    free(text);
    clock->machine = machine;
    clock->record = (double)pen_network_of(machine)->record;
    if (clock->record > 0) return;
    fprintf(stderr, "%s: a clock needs a machine with times in seconds\n", path);
    exit(2);
}

int main(int argc, char **argv)
{
    one_process_clock clock = { .overhead = 2e-7, .eager = 8192 };
    const char *machine = NULL;
    one_process settings = { .threads = true, .faulty = -1 };
    long long ranks = 4, hosts = 0, seed = -1, rank = -1;
    program p = { 1, 0, argv };
    int i = 1;
    for (long long call = 0; i < argc; i++) {
        if (strcmp(argv[i], "--trace") == 0) settings.trace = true;
        else if (strcmp(argv[i], "--stacks") == 0) settings.threads = false;
        else if (number(argv[i], "--dies-at=", &call)) settings.dies_at = call;
        else if (number(argv[i], "--fails-at=", &call)) settings.fails_at = call;
        else if (strncmp(argv[i], "--machine=", 10) == 0) machine = argv[i] + 10;
        else if (real(argv[i], "--work=", &clock.work) || real(argv[i], "--overhead=", &clock.overhead) ||
                 real(argv[i], "--eager=", &clock.eager) || real(argv[i], "--served=", &clock.served)) {
        } else if (!number(argv[i], "--ranks=", &ranks) && !number(argv[i], "--hosts=", &hosts) &&
                   !number(argv[i], "--seed=", &seed) && !number(argv[i], "--faulty=", &rank))
            break;
    }
    while (i < argc) argv[p.argc++] = argv[i++];
    if (ranks < 1 || ranks > 4096 || hosts > ranks || (machine && seed > 0)) {
        fprintf(stderr, "--ranks=%lld is not in 1..4096, or --hosts=%lld not in 1..ranks, or --machine with a --seed\n",
                ranks, hosts);
        return 2;
    }
    if (seed < 0) seed = machine ? 0 : 1;
    if (machine) {
        read_machine(machine, (int)ranks, &clock);
        settings.clock = &clock;
    }
    settings.ranks = (int)ranks;
    settings.hosts = (int)hosts;
    settings.seed = (uint64_t)seed;
    settings.faulty = (int)rank;
    sim_expects_init = true;
    one_process_result result;
    one_process_run(&settings, run, &p, &result);
    if (machine) fprintf(stderr, "one_process: latest clock %.9f s\n", result.time);
    return p.status;
}
