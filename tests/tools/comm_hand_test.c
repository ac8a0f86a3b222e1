/* comm_hand_test - what pen-comm says of messages and of fences is what loops written by hand take: Irecv, Isend and
 * Waitall; two fences and a get between them. On two ranks, of 8 B to 32 KiB, in buffers that are aligned alike.
 *
 * Both are measured in turn, several times. Times count where few samples were disturbed, by pen-comm's rule. A ratio
 * that differs by more than 20 % is wrong if all of its 95 % interval does; else the machine is too busy to tell. */
#include "observe/timers.h"
#include "tests/support/check.h"
#include "tools/comm/compare.h"
#include "tools/common/order.h"

enum { REPEATS = 15, SIZES = 4, SAMPLES = 20, LINE = 64, HEADER = 128 };

static const int64_t sizes[SIZES] = { 8, 512, 8192, 32768 };

typedef struct hand {
    int bytes, peer;
    MPI_Win window;
    unsigned char *planes[2]; /* a plane: what the other rank reads, then what is read of it */
    MPI_Aint theirs[2];       /* where the other rank's planes are */
} hand;

typedef void hand_fn(const hand *h, int plane);

static void by_messages(const hand *h, int plane)
{
    MPI_Request requests[2];
    unsigned char *own = h->planes[plane];
    MPI_Irecv(own + h->bytes, h->bytes, MPI_BYTE, h->peer, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(own, h->bytes, MPI_BYTE, h->peer, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void by_fences(const hand *h, int plane)
{
    MPI_Win_fence(0, h->window);
    MPI_Get(h->planes[plane] + h->bytes, h->bytes, MPI_BYTE, h->peer, h->theirs[plane], h->bytes, MPI_BYTE, h->window);
    MPI_Win_fence(0, h->window);
}

static void hand_open(hand *h, int64_t bytes)
{
    unsigned char *memory = NULL;
    MPI_Info info;
    int64_t plane = (2 * bytes + LINE - 1) / LINE * LINE;
    h->bytes = (int)bytes;
    h->peer = 1 - check_rank();
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");
    MPI_Win_allocate_shared(LINE + HEADER + 2 * plane, 1, info, MPI_COMM_WORLD, &memory, &h->window);
    MPI_Info_free(&info);
    unsigned char *aligned = memory + (LINE - (uintptr_t)memory % LINE) % LINE + HEADER;
    MPI_Aint mine[2];
    for (int p = 0; p < 2; p++) {
        h->planes[p] = aligned + p * plane;
        mine[p] = h->planes[p] - memory;
    }
    MPI_Sendrecv(mine, 2, MPI_AINT, h->peer, 1, h->theirs, 2, MPI_AINT, h->peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Seconds of a step at the slowest rank, median of some samples; 0: too many were disturbed. */
static double hand_time(const hand *h, hand_fn *step)
{
    double seconds[SAMPLES];
    int steps = h->bytes <= 512 ? 256 : 32;
    pen_timers timers;
    pen_timers_start(&timers);
    for (int i = 0; i < SAMPLES; i++) {
        uint64_t ticks = 0;
        MPI_Barrier(MPI_COMM_WORLD);
        for (int s = 0; s < steps; s++) {
            memset(h->planes[s % 2], s, (size_t)h->bytes);
            uint64_t start = pen_ticks();
            step(h, s % 2);
            ticks += pen_ticks() - start;
        }
        seconds[i] = pen_timers_scale(&timers) * (double)ticks / steps;
        MPI_Allreduce(MPI_IN_PLACE, &seconds[i], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    double median = pen_median(seconds, SAMPLES); /* sorts */
    int disturbed = 0;
    for (int i = 0; i < SAMPLES; i++) disturbed += seconds[i] > COMM_DISTURBED * seconds[0];
    return disturbed <= COMM_MOST_NOISE * SAMPLES ? median : 0.0;
}

/* 0: too many were disturbed. */
static double row_time(const comm_comparison *found, const char *transport, int64_t bytes)
{
    for (int i = 0; i < found->row_count; i++)
        if (strcmp(found->rows[i].transport, transport) == 0 && found->rows[i].record == bytes)
            return found->rows[i].low >= 0.0 && found->rows[i].noise <= COMM_MOST_NOISE ? found->rows[i].median : 0.0;
    CHECK(!"a row of this transport and size");
    return 1.0;
}

static const struct {
    const char *transport;
    hand_fn *step;
} kinds[] = { { "overlap", by_messages }, { "fence", by_fences } };
enum { KINDS = PEN_COUNT_OF(kinds) };

typedef struct comparison {
    double ratios[REPEATS]; /* [count] */
    int count;
} comparison;

static void judge(const char *transport, int64_t bytes, comparison *c)
{
    int rank = pen_median_rank(c->count);
    double median = c->count > 0 ? pen_median(c->ratios, c->count) : 0.0; /* sorts */
    if (check_rank() != 0 || (rank > 0 && median >= 1.0 / 1.2 && median <= 1.2)) return;
    if (rank == 0 || (c->ratios[rank - 1] <= 1.2 && c->ratios[c->count - rank] >= 1.0 / 1.2)) {
        check_leave_out("%s, %" PRId64 " bytes, pen-comm against a loop by hand: the machine is too busy", transport,
                        bytes);
        return;
    }
    fprintf(stderr,
            "%s, %" PRId64 " bytes: pen-comm over a loop by hand is %.2f (%.2f to %.2f), expected 0.83 to 1.2\n",
            transport, bytes, median, c->ratios[rank - 1], c->ratios[c->count - rank]);
    check_failures++;
}

int main(int argc, char **argv)
{
    static comparison all[KINDS][SIZES];
    hand hands[SIZES];
    pen_comm *comm = NULL;
    comm_settings settings = { .partitioner = "metis",
                               .record_count = SIZES,
                               .neighbors = 1,
                               .rounds = SAMPLES,
                               .seconds = 2.0,
                               .eager = "default" };
    memcpy(settings.records, sizes, sizeof sizes);
    pen_environment_prepare();
    MPI_Init(&argc, &argv);
#ifndef __OPTIMIZE__
    if (check_rank() == 0) check_leave_out("times of code that is not optimised say nothing");
    MPI_Finalize();
    return 77;
#endif
    CHECK_STATUS(pen_comm_create(MPI_COMM_WORLD, &comm), PEN_OK);
    for (int i = 0; i < SIZES; i++) hand_open(&hands[i], sizes[i]);
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        comm_comparison found;
        CHECK_STATUS(pen_compare(comm, NULL, &settings, &found), PEN_OK);
        for (int k = 0; k < KINDS; k++)
            for (int i = 0; i < SIZES; i++) {
                double said = row_time(&found, kinds[k].transport, sizes[i]),
                       taken = hand_time(&hands[i], kinds[k].step);
                comparison *c = &all[k][i];
                if (said > 0.0 && taken > 0.0) c->ratios[c->count++] = said / taken;
            }
        pen_comparison_free(&found);
    }
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < SIZES; i++) judge(kinds[k].transport, sizes[i], &all[k][i]);
    for (int i = 0; i < SIZES; i++) MPI_Win_free(&hands[i].window);
    pen_comm_destroy(&comm);
    return check_finish();
}
