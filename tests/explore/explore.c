/* explore - small runs with many interleavings, each of which has a number (explored.h).
 *
 *     explore [--seeds=N] [--first=N] [--stop] [sizes as below] [SUBJECT ...]
 *                                                       the cases first .. first + N - 1 of each subject (default:
 * all);
 *                                                       --stop: until one fails, without a smaller case
 *     explore SUBJECT --seed=N [--ranks=N] [--hosts=N] [--nodes=N] [--steps=N]
 *                                                       one case, in this process
 *     explore --list
 *
 * A case that fails is repeated with fewer ranks, nodes and steps; the commands that repeat it, and the smallest that
 * fails, are printed. Exit status 1 if a case failed, or if 20 seeds and more of all subjects never took a choice.
 * EXPLORE_TRACE in the environment prints each MPI call. */
#include "tests/explore/explored.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_FAILURES = 3, MOST_SECONDS = 20, BATCH = 500 }; /* seconds of the processor, for a case */

typedef struct sizes {
    int ranks, hosts, nodes, steps; /* 0: as drawn */
} sizes;

/* What a process that explores says to the one that started it. */
typedef struct progress {
    uint64_t seed; /* in progress */
    int64_t calls, switches;
    int64_t taken[ONE_PROCESS_CHOICE_COUNT], left[ONE_PROCESS_CHOICE_COUNT];
} progress;
static progress *shared;
static bool stops;

static void explore(const subject *s, uint64_t first, uint64_t count, sizes z)
{
    for (uint64_t seed = first; seed < first + count; seed++) {
        one_process_result result = { 0 };
        static explored e;
        shared->seed = seed;
        setitimer(ITIMER_PROF, &(struct itimerval){ .it_value.tv_sec = MOST_SECONDS }, NULL);
        explored_draw(s, seed, z.ranks, z.hosts, z.nodes, z.steps, &e);
        const int bad = explored_run(&e, &result);
        if (bad) exit(bad);
        shared->calls += result.calls;
        shared->switches += result.switches;
        for (int c = 0; c < ONE_PROCESS_CHOICE_COUNT; c++) {
            shared->taken[c] += result.taken[c];
            shared->left[c] += result.left[c];
        }
    }
}

/* In a process of its own, whose words are in a file if there is a name: 0, or how it ended. */
static int try(const subject *s, uint64_t first, uint64_t count, sizes z, const char *words)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const int file = open(words, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (file >= 0) dup2(file, STDERR_FILENO);
        explore(s, first, count, z);
        exit(0);
    }
    int status = 0;
    char command[64];
    waitpid(child, &status, 0);
    if (status != 0) { /* its folder */
        snprintf(command, sizeof command, "rm -rf explored.%ld", (long)child);
        if (system(command) != 0) return -1;
    }
    return status;
}

static void print_command(const subject *s, uint64_t seed, sizes z)
{
    printf("explore %s --seed=%llu", s->name, (unsigned long long)seed);
    if (z.ranks) printf(" --ranks=%d", z.ranks);
    if (z.hosts) printf(" --hosts=%d", z.hosts);
    if (z.nodes) printf(" --nodes=%d", z.nodes);
    if (z.steps) printf(" --steps=%d", z.steps);
    printf("\n");
}

/* Smaller cases of the seed are other cases; one that fails in the same way is likely to have the same cause. */
static void shrink(const subject *s, uint64_t seed)
{
    static explored e;
    explored_draw(s, seed, 0, 0, 0, 0, &e);
    sizes least = { e.ranks, e.hosts, e.nodes, e.steps };
    bool smaller = true, any = false;
    while (smaller) {
        smaller = false;
        const sizes tries[] = {
            { 2, least.hosts, least.nodes, least.steps },
            { least.ranks, 1, least.nodes, least.steps },
            { least.ranks, least.hosts, 7, least.steps },
            { least.ranks, least.hosts, least.nodes, 1 },
            { least.ranks - 1, least.hosts, least.nodes, least.steps },
            { least.ranks, least.hosts, least.nodes / 2, least.steps },
            { least.ranks, least.hosts, least.nodes, least.steps - 1 },
            { least.ranks, least.hosts, least.nodes - 1, least.steps },
        };
        for (size_t i = 0; i < sizeof tries / sizeof *tries && !smaller; i++) {
            const sizes t = tries[i];
            if (t.ranks < 2 || t.nodes < 2 || t.steps < 1 || memcmp(&t, &least, sizeof t) == 0 ||
                t.ranks > least.ranks || t.hosts > least.hosts || t.nodes > least.nodes || t.steps > least.steps)
                continue;
            if (try(s, seed, 1, t, "/dev/null") == 0) continue;
            least = t;
            smaller = any = true;
        }
    }
    printf(any ? "smaller: " : "no smaller case of it fails: ");
    print_command(s, seed, least);
}

static void report(const subject *s, uint64_t seed, int status, sizes z, const char *words)
{
    enum { SHOWN = 40 };
    static char lines[SHOWN][256]; /* the last ones */
    int count = 0;
    if (WIFSIGNALED(status)) printf("FAILED (signal %d): ", WTERMSIG(status));
    else printf("FAILED (exit status %d): ", WEXITSTATUS(status));
    print_command(s, seed, z);
    FILE *said = fopen(words, "r");
    while (said && fgets(lines[count % SHOWN], sizeof lines[0], said)) count++;
    if (said) fclose(said);
    for (int i = count > SHOWN ? count - SHOWN : 0; i < count; i++) printf("    %s", lines[i % SHOWN]);
    if (!stops && !z.ranks && !z.nodes && !z.steps) shrink(s, seed);
    fflush(stdout);
}

static int explore_subject(const subject *s, uint64_t first, uint64_t count, sizes z)
{
    char words[64];
    int failures = 0;
    struct timespec begun, ended;
    snprintf(words, sizeof words, "explore.%ld.words", (long)getpid());
    clock_gettime(CLOCK_MONOTONIC, &begun);
    for (uint64_t seed = first; seed < first + count && failures < (stops ? 1 : MOST_FAILURES);) {
        const uint64_t left = first + count - seed, some = left < BATCH ? left : BATCH;
        const int status = try(s, seed, some, z, words);
        if (status == 0) seed += some;
        else {
            report(s, shared->seed, status, z, words);
            seed = shared->seed + 1;
            failures++;
        }
    }
    unlink(words);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    const double seconds = (double)(ended.tv_sec - begun.tv_sec) + 1e-9 * (double)(ended.tv_nsec - begun.tv_nsec);
    printf("%-12s %llu seeds, %.1f s: %.0f an hour, %lld calls and %lld switches each\n", s->name,
           (unsigned long long)count, seconds, 3600.0 * (double)count / seconds,
           (long long)(shared->calls / (int64_t)count), (long long)(shared->switches / (int64_t)count));
    shared->calls = shared->switches = 0;
    fflush(stdout);
    return failures;
}

static bool value_of(const char *argument, const char *name, uint64_t *value)
{
    const size_t length = strlen(name);
    char *end;
    if (strncmp(argument, name, length) != 0) return false;
    *value = strtoull(argument + length, &end, 10);
    if (end != argument + length && *end == '\0') return true;
    fprintf(stderr, "explore: %s is not a number\n", argument);
    exit(2);
}

static const subject *find(const char *name)
{
    for (int i = 0; i < subject_count; i++)
        if (strcmp(subjects[i].name, name) == 0) return &subjects[i];
    fprintf(stderr, "explore: there is no subject %s: --list\n", name);
    exit(2);
}

int main(int argc, char **argv)
{
    uint64_t seeds = 20, first = 1, seed = 0, of[4] = { 0 };
    static const char *const names[] = { "--ranks=", "--hosts=", "--nodes=", "--steps=" };
    static const uint64_t most[] = { MOST_RANKS, MOST_RANKS, MOST_NODES, 1000000 };
    const subject *chosen[64];
    int count = 0, failures = 0;
    bool choices = false;
    for (int i = 1; i < argc; i++) {
        bool known = (value_of(argv[i], "--seeds=", &seeds) && seeds > 0) || value_of(argv[i], "--first=", &first) ||
                     value_of(argv[i], "--seed=", &seed);
        for (int k = 0; k < 4 && !known; k++) known = value_of(argv[i], names[k], &of[k]) && of[k] <= most[k];
        if (known) continue;
        if (strcmp(argv[i], "--choices") == 0) choices = true;
        else if (strcmp(argv[i], "--stop") == 0) stops = true;
        else if (strcmp(argv[i], "--list") == 0) {
            for (int k = 0; k < subject_count; k++) printf("%-12s %s\n", subjects[k].name, subjects[k].summary);
            return 0;
        } else if (strcmp(argv[i], "--help") == 0) {
            printf("Usage: explore [--seeds=N] [--first=N] [--seed=N] [--choices] [--stop] [--list] [SUBJECT ...]\n"
                   "of a case: ");
            for (int k = 0; k < 4; k++) printf(" %sN", names[k]);
            printf("\n");
            return 0;
        } else if (argv[i][0] == '-') {
            fprintf(stderr, "explore: %s is no option, or its number is out of range\n", argv[i]);
            return 2;
        } else if (count < 64) chosen[count++] = find(argv[i]);
    }
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return 1;
    const bool full = count == 0 && seeds >= 20 && !of[0];
    for (int i = 0; count == 0 && i < subject_count; i++) chosen[i] = &subjects[i];
    if (count == 0) count = subject_count;
    const sizes z = { (int)of[0], (int)of[1], (int)of[2], (int)of[3] };
    if (seed) {
        explore(chosen[0], seed, 1, z);
        return 0;
    }
    for (int i = 0; i < count; i++) failures += explore_subject(chosen[i], first, seeds, z);
    for (int c = 0; c < ONE_PROCESS_CHOICE_COUNT; c++) {
        static const char *const texts[] = {
#define TEXT(name, text) text,
            ONE_PROCESS_CHOICES(TEXT)
#undef TEXT
        };
        if (choices)
            printf("%12lld taken, %12lld not: %s\n", (long long)shared->taken[c], (long long)shared->left[c], texts[c]);
        /* The library receives no message from any sender. */
        if (!full || c == ONE_PROCESS_OTHER_SENDER || shared->taken[c] > 0) continue;
        printf("FAILED: it never came that %s\n", texts[c]);
        failures++;
    }
    return failures > 0;
}
