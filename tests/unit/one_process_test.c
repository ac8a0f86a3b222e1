/* one_process_test - MPI in one process (support/one_process): equal seeds give equal runs; each choice that MPI leaves
 * open is taken by some seeds and not by others; what must not be is reported, with where each rank is. That the
 * results are right is tested by mpi_functions_test. */
#include "tests/support/one_process/one_process.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;

static void complain(const char *what)
{
    fprintf(stderr, "one_process_test: %s\n", what);
    failures++;
}

/* ---- A rank that does a bit of all -------------------------------------------------------------------- */

static void everything(int rank, void *context)
{
    int size, flag = 0, got[64] = { 0 }, *base;
    double real = 1.0 / (1 + rank), sum;
    MPI_Request requests[2];
    MPI_Win window;
    MPI_Group all, left, right;
    (void)context, (void)MPI_Wtime();
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int before = (rank + size - 1) % size, after = (rank + 1) % size;
    MPI_Win_allocate(64 * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &before, &left);
    MPI_Group_incl(all, 1, &after, &right);
    for (int step = 0; step < 4; step++) {
        for (int i = 0; i < 64; i++) base[i] = rank * 100 + step;
        MPI_Win_post(left, 0, window);
        MPI_Win_start(right, 0, window);
        MPI_Get(got, 64, MPI_INT, after, 0, 64, MPI_INT, window);
        MPI_Win_complete(window);
        MPI_Win_wait(window);
        MPI_Irecv(got, 1, MPI_INT, MPI_ANY_SOURCE, step, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&rank, 1, MPI_INT, after, step, MPI_COMM_WORLD, &requests[1]);
        MPI_Bcast(&sum, 1, MPI_DOUBLE, step % size, MPI_COMM_WORLD);
        MPI_Allreduce(&real, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        for (flag = 0; !flag;) MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
        if (rank > 0) MPI_Send(&rank, 1, MPI_INT, 0, 100, MPI_COMM_WORLD);
        for (int i = 1; i < size && rank == 0; i++)
            MPI_Recv(got, 1, MPI_INT, MPI_ANY_SOURCE, 100, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&left);
    MPI_Group_free(&right);
    MPI_Win_free(&window);
}

static one_process_result run(int ranks, uint64_t seed)
{
    one_process_result result;
    one_process_run(&(one_process){ .ranks = ranks, .hosts = 1, .seed = seed, .faulty = -1 }, everything, NULL,
                    &result);
    return result;
}

static void check_seeds(void)
{
    enum { SEEDS = 60 };
    int64_t taken[ONE_PROCESS_CHOICE_COUNT] = { 0 }, left[ONE_PROCESS_CHOICE_COUNT] = { 0 };
    uint64_t traces[SEEDS];
    int same = 0;
    for (uint64_t s = 0; s < SEEDS; s++) {
        const one_process_result first = run(4, s), again = run(4, s);
        traces[s] = first.trace;
        if (first.trace != again.trace || first.calls != again.calls || first.switches != again.switches)
            complain("equal seeds give different runs");
        for (int c = 0; c < ONE_PROCESS_CHOICE_COUNT; c++) taken[c] += first.taken[c], left[c] += first.left[c];
        for (uint64_t t = 0; t < s; t++) same += traces[t] == traces[s];
        if (s == 0)
            for (int c = 0; c < ONE_PROCESS_CHOICE_COUNT; c++)
                if (first.taken[c]) complain("without a seed something is drawn");
    }
    if (same > 0) complain("different seeds give equal runs");
    for (int c = 0; c < ONE_PROCESS_CHOICE_COUNT; c++) {
        static const char *const texts[] = {
#define TEXT(name, text) text,
            ONE_PROCESS_CHOICES(TEXT)
#undef TEXT
        };
        /* Patience is the library's, not of MPI: no event is awaited here. */
        if (c != ONE_PROCESS_SHORT_PATIENCE && (taken[c] == 0 || left[c] == 0)) complain(texts[c]);
    }
}

/* ---- Mistakes ------------------------------------------------------------------------------------------------ */

static void waits(int rank, void *context)
{
    int got;
    (void)context;
    if (rank == 1) MPI_Recv(&got, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void sends_first(int rank, void *context)
{
    int its = rank;
    (void)context;
    MPI_Send(&rank, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
    MPI_Recv(&its, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void differs(int rank, void *context)
{
    (void)context;
    if (rank == 0) MPI_Barrier(MPI_COMM_WORLD);
    else MPI_Bcast(&rank, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static void leaves(int rank, void *context)
{
    MPI_Comm copy;
    (void)rank, (void)context;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
}

static void gets_outside(int rank, void *context)
{
    int *base, got;
    MPI_Win window;
    (void)context;
    MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    MPI_Get(&got, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window);
}

static void gets_beyond(int rank, void *context)
{
    int *base, got;
    MPI_Win window;
    (void)context;
    MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    MPI_Win_fence(0, window);
    MPI_Get(&got, 1, MPI_INT, 1 - rank, 1, 1, MPI_INT, window);
}

static void uses_freed(int rank, void *context)
{
    MPI_Comm copy, same;
    (void)rank, (void)context;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    same = copy;
    MPI_Comm_free(&copy);
    MPI_Barrier(same);
}

static void receives_less(int rank, void *context)
{
    int two[2] = { rank, rank };
    (void)context;
    if (rank == 0) MPI_Send(two, 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else MPI_Recv(two, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void barriers(int rank, void *context)
{
    (void)rank, (void)context;
    for (int i = 0; i < 10; i++) MPI_Barrier(MPI_COMM_WORLD);
}

static void returns_errors(int rank, void *context)
{
    int seen = 0;
    (void)rank, (void)context;
    for (int i = 0; i < 10; i++) seen += MPI_Barrier(MPI_COMM_WORLD) != MPI_SUCCESS;
    if (seen != (rank == 1)) _exit(9);
}

/* How a process ends that runs it with some seed, and that what it says has these words. */
static void expect(const char *name, void (*rank_main)(int rank, void *context), one_process settings, uint64_t seeds,
                   int wanted, const char *words)
{
    int as_wanted = 0;
    char said[4096] = "";
    for (uint64_t seed = 0; seed < seeds && !as_wanted; seed++) {
        int ends[2], status;
        if (pipe(ends) != 0) exit(1);
        const pid_t child = fork();
        if (child == 0) {
            dup2(ends[1], STDERR_FILENO);
            settings.ranks = 2;
            settings.seed = seed;
            one_process_run(&settings, rank_main, NULL, NULL);
            _exit(0);
        }
        close(ends[1]);
        size_t length = 0;
        for (ssize_t n; (n = read(ends[0], said + length, sizeof said - 1 - length)) > 0;) length += (size_t)n;
        said[length] = '\0';
        close(ends[0]);
        waitpid(child, &status, 0);
        as_wanted = WIFEXITED(status) && WEXITSTATUS(status) == wanted && strstr(said, words);
    }
    if (!as_wanted) fprintf(stderr, "one_process_test: %s says \"%s\"\n", name, said), failures++;
}

#define EXPECT(seeds, status, words, rank_main) \
    expect(#rank_main, rank_main, (one_process){ .faulty = -1 }, seeds, status, words)

int main(void)
{
    check_seeds();
    EXPECT(1, ONE_PROCESS_WRONG, "rank 1, call 1, waits in MPI_Recv (rank 0, tag 7)", waits);
    EXPECT(40, ONE_PROCESS_WRONG, "waits in MPI_Send (rank 0, tag 1)", sends_first); /* MPI need not keep messages */
    EXPECT(40, 0, "", sends_first);
    EXPECT(1, ONE_PROCESS_WRONG, "where another rank calls", differs);
    EXPECT(1, ONE_PROCESS_WRONG, "MPI_Comm_dup has made is never freed", leaves);
    EXPECT(1, ONE_PROCESS_WRONG, "outside of an epoch", gets_outside);
    EXPECT(1, ONE_PROCESS_WRONG, "which has 4", gets_beyond);
    EXPECT(1, ONE_PROCESS_WRONG, "or was freed", uses_freed);
    EXPECT(1, ONE_PROCESS_WRONG, "is longer than its buffer", receives_less);
    expect("a death", barriers, (one_process){ .faulty = 1, .dies_at = 4 }, 1, ONE_PROCESS_DEAD, "");
    expect("a failure", returns_errors, (one_process){ .faulty = 1, .fails_at = 4 }, 1, 0, "");
    return failures > 0;
}
