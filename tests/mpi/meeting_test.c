/* meeting_test.c - collective operations in shared memory against values that each rank can compute: thousands of
 * rounds with random delays, values of all sizes, communicators of some ranks, and ranks that are much later than
 * others.
 * pen_mpi_test() */
#include "base/comm.h"
#include "base/hash.h"
#include "tests/support/check.h"

#include <sched.h>
#include <time.h>

static pen_comm *comm;

static int64_t value(int round, int rank, int item)
{
    return (int64_t)(pen_mix(((uint64_t)round << 32) + (uint64_t)(rank * 7919 + item)) >> 16);
}

/* Now and then a rank is late, by more or by less than the others poll. */
static void dawdle(int round)
{
    switch (pen_mix((uint64_t)round * 64 + (uint64_t)comm->rank) % 64) {
    case 0: nanosleep(&(struct timespec){ .tv_nsec = 300000 }, NULL); break;
    case 1: sched_yield(); break;
    default: break;
    }
}

static void test_reductions(int round)
{
    enum { MOST = PEN_MEETING_BOX / (int)sizeof(int64_t) + 5 };
    static int64_t mine[MOST], sums[MOST], most[MOST];
    const int counts[] = { 1, 3, 64, MOST - 5, MOST, 0 }, count = counts[round % 6];
    for (int i = 0; i < count; i++) mine[i] = value(round, comm->rank, i);
    CHECK_STATUS(pen_all_reduce(comm, mine, sums, count, MPI_INT64_T, MPI_SUM), PEN_OK);
    dawdle(round);
    memcpy(most, mine, sizeof most);
    CHECK_STATUS(pen_all_reduce(comm, MPI_IN_PLACE, most, count, MPI_INT64_T, MPI_MAX), PEN_OK);
    for (int i = 0; i<count; i += count> 70 ? 97 : 1) {
        int64_t sum = 0, highest = INT64_MIN;
        for (int r = 0; r < comm->size; r++) {
            sum += value(round, r, i);
            highest = value(round, r, i) > highest ? value(round, r, i) : highest;
        }
        CHECK_INT(sums[i], sum);
        CHECK_INT(most[i], highest);
    }
}

/* Sums of doubles are added in the order of ranks, from the highest down, wherever they meet. */
static void test_order(int round)
{
    double mine = (double)value(round, comm->rank, 0) * 1e-9, sum, expected = 0.0;
    CHECK_STATUS(pen_all_reduce(comm, &mine, &sum, 1, MPI_DOUBLE, MPI_SUM), PEN_OK);
    for (int r = comm->size - 1; r >= 0; r--) {
        const double its = (double)value(round, r, 0) * 1e-9;
        expected = r == comm->size - 1 ? its : its + expected;
    }
    if (comm->meeting && comm->one_host) CHECK(sum == expected);
}

static void test_broadcast(int round)
{
    static unsigned char bytes[PEN_MEETING_BOX + 100];
    const int root = round % comm->size, count = round % 5 == 0 ? (int)sizeof bytes : round % 1000;
    if (comm->rank == root)
        for (int i = 0; i < count; i++) bytes[i] = (unsigned char)value(round, root, i);
    CHECK_STATUS(pen_broadcast(comm, bytes, count, root), PEN_OK);
    for (int i = 0; i < count; i += 1 + count / 100) CHECK_INT(bytes[i], (unsigned char)value(round, root, i));
}

static void test_prefix(int round)
{
    int64_t before, expected = 0;
    for (int r = 0; r < comm->rank; r++) expected += value(round, r, 1) % 1000;
    CHECK_STATUS(pen_prefix_int(comm, value(round, comm->rank, 1) % 1000, &before), PEN_OK);
    CHECK_INT(before, expected);
}

/* The status and the sentence of the lowest rank that failed. */
static void test_agreement(int round)
{
    const int failing = round % (comm->size + 1);
    pen_status mine = PEN_OK;
    if (comm->rank >= failing) mine = pen_fail(PEN_ERR_INPUT, "rank %d in round %d", comm->rank, round);
    const pen_status all = pen_agree(comm, mine);
    CHECK_STATUS(all, failing < comm->size ? PEN_ERR_INPUT : PEN_OK);
    if (all == PEN_OK) return;
    char expected[64];
    snprintf(expected, sizeof expected, "rank %d in round %d", failing, round);
    CHECK_CONTAINS(pen_error_message(), expected);
}

/* Nobody leaves a barrier before all have come. */
static void test_barrier(int round, _Atomic(int) *come)
{
    dawdle(round);
    atomic_fetch_add(come, 1);
    CHECK_STATUS(pen_barrier(comm), PEN_OK);
    CHECK(atomic_load(come) >= (round + 1) * comm->size);
}

/* Publications of a rank that is slow: the others do not see more than there are. */
static void test_publications(int round)
{
    pen_meeting *meeting = pen_meeting_of(comm);
    if (!meeting) return;
    dawdle(round);
    pen_meeting_publish(meeting);
    for (int r = 0; r < comm->size; r++) {
        pen_event_await(&meeting->desks[r].published, meeting->published, &meeting->patience, "a test", r);
        const uint32_t ahead = atomic_load(&meeting->desks[r].published.count) - meeting->published;
        CHECK(ahead <= 1);
    }
    const uint32_t target = pen_meeting_arrive(meeting);
    if (round % 2) pen_meeting_await(meeting, target, "a test");
}

static int64_t nanoseconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Who sleeps is woken. Without that its sleep would end by itself, about 8 ms after a rank that is 30 ms late. On a
 * busy machine the best of some rounds counts. */
static void test_wake(void)
{
    enum { ROUNDS = 50, LATE = 30000000, SOON = 4000000 };
    int64_t best = INT64_MAX, slowest = INT64_MAX; /* of this rank; of all */
    for (int round = 0; round < ROUNDS && slowest >= SOON; round++) {
        CHECK_STATUS(pen_barrier(comm), PEN_OK);
        if (comm->rank == 0) nanosleep(&(struct timespec){ .tv_nsec = LATE }, NULL);
        int64_t left = nanoseconds_now();
        CHECK_STATUS(pen_broadcast(comm, &left, (int)sizeof left, 0), PEN_OK);
        left = nanoseconds_now() - left;
        best = left < best ? left : best;
        CHECK_STATUS(pen_all_reduce(comm, &best, &slowest, 1, MPI_INT64_T, MPI_MAX), PEN_OK);
    }
    if (comm->meeting && comm->one_host) CHECK(slowest < SOON);
}

static void test_rounds(MPI_Comm parent, int rounds)
{
    pen_host_memory memory;
    CHECK_STATUS(pen_comm_create(parent, &comm), PEN_OK);
    CHECK_STATUS(pen_host_memory_create(comm->host, sizeof(int), &memory), PEN_OK);
    for (int round = 0; round < rounds; round++) {
        test_reductions(round);
        test_order(round);
        test_broadcast(round);
        test_prefix(round);
        test_agreement(round);
        if (memory.bytes && comm->one_host) test_barrier(round, (_Atomic(int) *)(void *)memory.bytes);
        test_publications(round);
    }
    if (rounds >= 100) test_wake();
    pen_host_memory_free(&memory);
    pen_comm_destroy(&comm);
}

/* A rank that waits here drives MPI's progress, which another rank needs, although a message waits for it. */
static void test_progress(void)
{
    enum { EARLY, LARGE, BYTES = 8 << 20 };
    static unsigned char bytes[BYTES];
    unsigned char early = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_STATUS(pen_comm_create(MPI_COMM_WORLD, &comm), PEN_OK);
    pen_meeting *meeting = pen_meeting_of(comm);
    if (meeting && comm->rank == 1) MPI_Irecv(bytes, BYTES, MPI_BYTE, 0, LARGE, comm->mpi, &request);
    CHECK_STATUS(pen_barrier(comm), PEN_OK);
    if (meeting && comm->rank == 0) {
        MPI_Send(&early, 1, MPI_BYTE, 1, EARLY, comm->mpi);
        MPI_Send(bytes, BYTES, MPI_BYTE, 1, LARGE, comm->mpi);
    }
    if (meeting) pen_meeting_wait(meeting, "a test of progress");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (meeting && comm->rank == 1) MPI_Recv(&early, 1, MPI_BYTE, 0, EARLY, comm->mpi, MPI_STATUS_IGNORE);
    pen_comm_destroy(&comm);
}

CHECKS()
{
    const int rank = check_rank();
    const int rounds = argc > 1 ? atoi(argv[1]) : 300;
    RUN(test_rounds(MPI_COMM_WORLD, rounds));
    RUN(test_rounds(MPI_COMM_SELF, 20));
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    RUN(test_rounds(half, rounds / 4));
    MPI_Comm_free(&half);
    RUN(test_progress());
}
