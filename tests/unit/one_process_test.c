/* one_process_test - MPI in one process (support/one_process): equal seeds give equal runs; each choice that MPI leaves
 * open is taken by some seeds and not by others; what must not be is reported, with where each rank is; clocks have the
 * times that the model of clock.c gives by hand. That the results are right is tested by mpi_functions_test. */
#include "base/event.h"
#include "tests/support/one_process/sim.h"
#include "view/machine.h"

#include <math.h>
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
    int same = 0, sleepers = 0;
    for (uint64_t s = 0; s < SEEDS; s++) {
        const one_process_result first = run(4, s), again = run(4, s);
        traces[s] = first.trace;
        if (first.trace != again.trace || first.calls != again.calls || first.switches != again.switches)
            complain("equal seeds give different runs");
        for (int c = 0; c < ONE_PROCESS_CHOICE_COUNT; c++) taken[c] += first.taken[c], left[c] += first.left[c];
        sleepers += first.taken[ONE_PROCESS_SLEEP] > 0;
        for (uint64_t t = 0; t < s; t++) same += traces[t] == traces[s];
        if (s == 0)
            for (int c = 0; c < ONE_PROCESS_CHOICE_COUNT; c++)
                if (first.taken[c]) complain("without a seed something is drawn");
    }
    if (same > 0) complain("different seeds give equal runs");
    if (sleepers > SEEDS / 2) complain("ranks sleep in seeds that know no priorities");
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

/* Rank 0 stores and does not synchronize: rank 1 gets what was there before, or the new bytes, or some of them. */
static void stores(int rank, void *context)
{
    enum { COUNT = 8 };
    int *base, got[COUNT], sum = 0, *seen = context;
    MPI_Win window;
    MPI_Win_allocate(COUNT * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    for (int i = 0; i < COUNT; i++) base[i] = 0;
    MPI_Win_lock_all(0, window);
    MPI_Win_sync(window);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < COUNT; i++) base[i] = 1;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Get(got, COUNT, MPI_INT, 0, 0, COUNT, MPI_INT, window);
        MPI_Win_flush_all(window);
        for (int i = 0; i < COUNT; i++) sum += got[i];
        seen[(sum > 0) + (sum == COUNT)]++;
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

static void check_copies(void)
{
    int seen[3] = { 0 };
    for (uint64_t seed = 1; seed <= 60; seed++)
        one_process_run(&(one_process){ .ranks = 2, .seed = seed, .faulty = -1 }, stores, seen, NULL);
    if (!seen[0] || !seen[1] || !seen[2]) complain("a get always reads the same of what is not synchronized");
}

static pen_event events[2];

/* Rank 1 looks between the two counts of rank 0, in some seeds. */
static void counts(int rank, void *context)
{
    int *between = context;
    if (rank == 0)
        for (int i = 0; i < 2; i++) pen_event_add(&events[i], 1, false);
    else *between += pen_event_reached(&events[0], 1) && !pen_event_reached(&events[1], 1);
}

static void check_counts(void)
{
    int between = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        memset(events, 0, sizeof events);
        one_process_run(&(one_process){ .ranks = 2, .seed = seed, .faulty = -1 }, counts, &between, NULL);
    }
    if (between == 0) complain("nothing comes between two counts in shared memory");
}

/* ---- Mistakes ------------------------------------------------------------------------------------------------ */

static void waits(int rank, void *context)
{
    int got;
    if (rank == 1) MPI_Recv(&got, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void sends_first(int rank, void *context)
{
    int its = rank;
    MPI_Send(&rank, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
    MPI_Recv(&its, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void differs(int rank, void *context)
{
    if (rank == 0) MPI_Barrier(MPI_COMM_WORLD);
    else MPI_Bcast(&rank, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static void leaves(int rank, void *context)
{
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
}

static void gets_outside(int rank, void *context)
{
    int *base, got;
    MPI_Win window;
    MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    MPI_Get(&got, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window);
}

static void gets_beyond(int rank, void *context)
{
    int *base, got;
    MPI_Win window;
    MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    MPI_Win_fence(0, window);
    MPI_Get(&got, 1, MPI_INT, 1 - rank, 1, 1, MPI_INT, window);
}

static void uses_freed(int rank, void *context)
{
    MPI_Comm copy, same;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    same = copy;
    MPI_Comm_free(&copy);
    MPI_Barrier(same);
}

static void receives_less(int rank, void *context)
{
    int two[2] = { rank, rank };
    if (rank == 0) MPI_Send(two, 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else MPI_Recv(two, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* A window in an epoch between fences that has been used. */
static MPI_Win used_fence(int rank)
{
    static int got;
    int *base;
    MPI_Win window;
    MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    MPI_Win_fence(0, window);
    MPI_Get(&got, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window);
    return window;
}

static MPI_Group all_ranks(void)
{
    MPI_Group all;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    return all;
}

static void posts_too_early(int rank, void *context) { MPI_Win_post(all_ranks(), 0, used_fence(rank)); }
static void starts_too_early(int rank, void *context) { MPI_Win_start(all_ranks(), 0, used_fence(rank)); }
static void locks_too_early(int rank, void *context) { MPI_Win_lock_all(0, used_fence(rank)); }

static void frees_too_early(int rank, void *context)
{
    MPI_Win window = used_fence(rank);
    MPI_Win_free(&window);
}

static void broadcasts_alone(int rank, void *context)
{
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    if (rank == 0) MPI_Bcast(&rank, 1, MPI_INT, 0, copy);
    MPI_Comm_free(&copy);
}

/* As programs, which call MPI_Init. */
static void begins_late(int rank, void *context)
{
    sim_expects_init = true;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void ends_early(int rank, void *context)
{
    sim_expects_init = true;
    MPI_Init(NULL, NULL);
    MPI_Finalize();
    MPI_Barrier(MPI_COMM_WORLD);
}

static void frees_late(int rank, void *context)
{
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Finalize();
    MPI_Comm_free(&copy);
}

static void reduces_onto_itself(int rank, void *context)
{
    MPI_Allreduce(&rank, &rank, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void reduces_others(int rank, void *context)
{
    int64_t mine = rank, sum;
    MPI_Allreduce(&mine, &sum, 1, rank == 0 ? MPI_INT64_T : MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void commits_nothing(int rank, void *context)
{
    MPI_Datatype type;
    MPI_Type_contiguous(1, MPI_INT, &type);
    MPI_Bcast(&rank, 1, type, 0, MPI_COMM_WORLD);
}

static void gathers_less(int rank, void *context)
{
    int all[2];
    MPI_Gather(&rank, rank == 0, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static void scatters_less(int rank, void *context)
{
    int all[2] = { 0, 0 }, mine[2];
    MPI_Scatter(all, 1, MPI_INT, mine, 1 + rank, MPI_INT, 0, MPI_COMM_WORLD);
}

static void exchanges_less(int rank, void *context)
{
    int mine[2] = { 0, 0 }, all[4];
    MPI_Alltoall(mine, 1, MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD);
}

static void neighbors_send_less(int rank, void *context)
{
    const int other = 1 - rank, one = 1, two = 2;
    int mine = rank, its[2];
    const MPI_Aint begin = 0;
    const MPI_Datatype type = MPI_INT;
    MPI_Comm graph;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, &one, 1, &other, &one, MPI_INFO_NULL, 0, &graph);
    MPI_Neighbor_alltoallw(&mine, &one, &begin, &type, its, &two, &begin, &type, graph);
}

static void barriers(int rank, void *context)
{
    for (int i = 0; i < 10; i++) MPI_Barrier(MPI_COMM_WORLD);
}

static void returns_errors(int rank, void *context)
{
    int seen = 0;
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

/* ---- The clock ----------------------------------------------------------------------------------------------- */

/* Ranks 0 and 1 are a host, and 2 and 3. Times are in microseconds: 0.1 and a byte 0.001 within a host, 10 and a byte
 * 0.01 between hosts; a message costs a processor 1, and so does a load of 1. */
static const char two_hosts[] = "processors 4\nseconds 1\ncluster a 2 cost=1e-9,latency=1e-7\n"
                                "cluster b 2 cost=1e-9,latency=1e-7\nlink a b cost=1e-8,latency=1e-5\n";
enum { SHORT = 100, MIDDLE = 500, LONG = 2000, TAG = 1 };
static const double barrier = 1 * (0.1 + 2) + 1 * (10 + 2);

static void send(int size, int to)
{
    const char bytes[LONG] = { 0 };
    MPI_Send(bytes, size, MPI_CHAR, to, TAG, MPI_COMM_WORLD);
}

static void receive(int from)
{
    char bytes[LONG];
    MPI_Recv(bytes, LONG, MPI_CHAR, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void one_message(int rank, MPI_Win window)
{
    if (rank == 0) send(SHORT, 2);
    if (rank == 2) receive(0);
}

static void within_host(int rank, MPI_Win window)
{
    if (rank == 0) send(SHORT, 1);
    if (rank == 1) receive(0);
}

static void long_message(int rank, MPI_Win window)
{
    if (rank == 0) send(LONG, 2);
    if (rank == 2) receive(0);
}

/* Both leave the host, and come to the other, one after the other. */
static void two_messages(int rank, MPI_Win window)
{
    if (rank < 2) send(MIDDLE, 2);
    if (rank == 2) receive(0), receive(1);
}

/* The message comes at 12, before the fourth look. */
static void looks(int rank, MPI_Win window)
{
    int flag = 0;
    if (rank == 0) send(SHORT, 2);
    if (rank != 2) return;
    one_process_work(9);
    while (!flag) MPI_Iprobe(0, TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    receive(0);
}

static void last_comes_late(int rank, MPI_Win window)
{
    if (rank == 3) one_process_work(50);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void root_comes_late(int rank, MPI_Win window)
{
    char bytes[SHORT] = { 0 };
    if (rank == 3) one_process_work(50);
    MPI_Bcast(bytes, SHORT, MPI_CHAR, 3, MPI_COMM_WORLD);
}

static void root_scatters_late(int rank, MPI_Win window)
{
    char all[4 * SHORT] = { 0 }, bytes[SHORT];
    if (rank == 3) one_process_work(50);
    MPI_Scatter(all, SHORT, MPI_CHAR, bytes, SHORT, MPI_CHAR, 3, MPI_COMM_WORLD);
}

static void reduces(int rank, MPI_Win window)
{
    double sum = rank;
    if (rank == 3) one_process_work(50);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void get(int target, MPI_Win window)
{
    char to[SHORT];
    MPI_Get(to, SHORT, MPI_CHAR, target, 0, SHORT, MPI_CHAR, window);
    for (int i = 0; target == 0 && i < 100; i++) one_process_work(1); /* of rank 2, in the epoch */
    MPI_Win_fence(0, window);
}

static void fences(int rank, MPI_Win window)
{
    MPI_Win_fence(0, window);
    get((rank + 2) % 4, window);
}

static void neighbors_fence(int rank, MPI_Win window)
{
    MPI_Win_fence(0, window);
    get(rank == 0 ? 1 : (rank + 2) % 4 + (rank == 2), window);
}

static void posts(int rank, MPI_Win window)
{
    const int other = 2 - rank;
    char to[SHORT];
    MPI_Group all, group;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    if (rank % 2 == 0) MPI_Group_incl(all, 1, &other, &group);
    if (rank == 0) MPI_Win_post(group, 0, window), MPI_Win_wait(window);
    if (rank == 2) {
        MPI_Win_start(group, 0, window);
        MPI_Get(to, SHORT, MPI_CHAR, 0, 0, SHORT, MPI_CHAR, window);
        MPI_Win_complete(window);
    }
    if (rank % 2 == 0) MPI_Group_free(&group);
    MPI_Group_free(&all);
}

static void flushes(int rank, MPI_Win window)
{
    char to[SHORT];
    MPI_Win_lock_all(0, window);
    for (int target = 3; rank == 2 && target >= 0; target -= 3) /* first within the host */
        MPI_Get(to, SHORT, MPI_CHAR, target, 0, SHORT, MPI_CHAR, window);
    if (rank == 2) MPI_Win_flush_all(window);
    MPI_Win_unlock_all(window);
}

typedef struct timed {
    void (*what)(int rank, MPI_Win window);
    double microseconds[4];
} timed;

static void take_time(int rank, void *context)
{
    timed *t = context;
    char *base;
    MPI_Win window;
    MPI_Win_allocate(SHORT, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    t->what(rank, window);
    t->microseconds[rank] = 1e6 * (MPI_Wtime() - begin);
    MPI_Win_free(&window);
}

static void expect_times(const char *name, void (*what)(int rank, MPI_Win window), double served, double t0, double t1,
                         double t2, double t3)
{
    const double wanted[] = { t0, t1, t2, t3 };
    pen_machine *machine;
    if (pen_machine_parse("two hosts", two_hosts, 4, &machine) != PEN_OK) exit(1);
    const one_process_clock clock = { machine, 1, 1e-6, 1e-6, 1000, served };
    timed t = { what, { 0 } };
    one_process_run(&(one_process){ .ranks = 4, .faulty = -1, .clock = &clock }, take_time, &t, NULL);
    pen_machine_destroy(&machine);
    for (int r = 0; r < 4; r++) {
        if (fabs(t.microseconds[r] - wanted[r]) < 1e-6) continue;
        fprintf(stderr, "one_process_test: %s: rank %d takes %.6f, not %.6f\n", name, r, t.microseconds[r], wanted[r]);
        failures++;
    }
}

#define TIMES(what, ...) expect_times(#what, what, 0, __VA_ARGS__)

static void check_clock(void)
{
    TIMES(one_message, 1, 0, 1 + 10 + 1 + 1, 0);
    TIMES(within_host, 1, 1 + 0.1 + 0.1 + 1, 0, 0);
    TIMES(long_message, 1 + 10 + 10 + 20, 0, 1 + 10 + 10 + 10 + 20 + 1, 0); /* the question, the answer, the bytes */
    TIMES(two_messages, 1, 1, 1 + 10 + 5 + 5 + 1, 0);
    TIMES(looks, 1, 0, 9 + 3 + 1, 0);
    TIMES(last_comes_late, 50 + barrier, 50 + barrier, 50 + barrier, 50 + barrier);
    TIMES(root_comes_late, 50 + barrier + 1, 50 + barrier + 1, 50 + barrier + 1, 51);
    TIMES(root_scatters_late, 50 + barrier + 4, 50 + barrier + 4, 50 + barrier + 4, 51);
    const double sum = 50 + barrier + 2 * 8 * 0.01, get = 1 + 10 + 10 + 1 + 1, both = barrier + get + barrier;
    TIMES(reduces, sum, sum, sum, sum);
    const double late = barrier + 101 + barrier; /* rank 2 works after its get */
    TIMES(fences, late, late, late, late);
    const double later = 2 * barrier + 101 + 1 + 10 + 1 + 2 * barrier; /* and answers then */
    expect_times("served fences", fences, 1e-6, later, later, later, later);
    const double copy = 1 + 0.1 + 0.1;
    expect_times("served flushes", flushes, 1e-6, 0, 0, copy + 1 + 10 + 1 + 10 + 1 + 10 + 1 + 10, 0);
    TIMES(neighbors_fence, both, both, both, both);
    TIMES(posts, 46, 0, 35, 0);
    TIMES(flushes, 0, 0, copy + 1 + 10 + 10 + 1, 0);
}

int main(void)
{
    check_seeds();
    check_copies();
    check_counts();
    check_clock();
    EXPECT(1, ONE_PROCESS_WRONG, "rank 1, call 1, waits in MPI_Recv (rank 0, tag 7)", waits);
    EXPECT(40, ONE_PROCESS_WRONG, "waits in MPI_Send (rank 0, tag 1)", sends_first); /* MPI need not keep messages */
    EXPECT(40, 0, "", sends_first);
    EXPECT(1, ONE_PROCESS_WRONG, "where another rank calls", differs);
    EXPECT(1, ONE_PROCESS_WRONG, "MPI_Comm_dup has made is never freed", leaves);
    EXPECT(1, ONE_PROCESS_WRONG, "outside of an epoch", gets_outside);
    EXPECT(1, ONE_PROCESS_WRONG, "which has 4", gets_beyond);
    EXPECT(1, ONE_PROCESS_WRONG, "or was freed", uses_freed);
    EXPECT(1, ONE_PROCESS_WRONG, "is longer than its buffer", receives_less);
    EXPECT(1, ONE_PROCESS_WRONG, "MPI_Win_post in an epoch", posts_too_early);
    EXPECT(1, ONE_PROCESS_WRONG, "MPI_Win_start in an epoch", starts_too_early);
    EXPECT(1, ONE_PROCESS_WRONG, "MPI_Win_lock_all in an epoch", locks_too_early);
    EXPECT(1, ONE_PROCESS_WRONG, "MPI_Win_free in an epoch", frees_too_early);
    EXPECT(40, ONE_PROCESS_WRONG, "not all ranks have called MPI_Bcast", broadcasts_alone);
    EXPECT(1, ONE_PROCESS_WRONG, "MPI_Barrier before MPI_Init", begins_late);
    EXPECT(1, ONE_PROCESS_WRONG, "MPI_Barrier before MPI_Init or after MPI_Finalize", ends_early);
    EXPECT(1, ONE_PROCESS_WRONG, "MPI_Comm_dup has made is never freed", frees_late);
    EXPECT(1, ONE_PROCESS_WRONG, "MPI_Allreduce of and into the same memory", reduces_onto_itself);
    EXPECT(1, ONE_PROCESS_WRONG, "something else that must be equal", reduces_others);
    EXPECT(1, ONE_PROCESS_WRONG, "MPI_Bcast of a datatype that is not committed", commits_nothing);
    EXPECT(1, ONE_PROCESS_WRONG, "0 bytes of rank 1 are not 4", gathers_less);
    EXPECT(1, ONE_PROCESS_WRONG, "4 bytes are not 8", scatters_less);
    EXPECT(1, ONE_PROCESS_WRONG, "MPI_Alltoall: 4 bytes are not 8", exchanges_less);
    EXPECT(1, ONE_PROCESS_WRONG, "4 bytes are not 8", neighbors_send_less);
    expect("a death", barriers, (one_process){ .faulty = 1, .dies_at = 4 }, 1, ONE_PROCESS_DEAD, "");
    expect("a failure", returns_errors, (one_process){ .faulty = 1, .fails_at = 4 }, 1, 0, "");
    return failures > 0;
}
