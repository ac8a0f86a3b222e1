/* sparse.c - the sparse exchange: microseconds of a call for several patterns.
 *
 *     mpirun --oversubscribe -n 4 sparse_bench [--samples=N] [--calls=N] [--crowd=N]
 *
 * In a pattern each rank sends blocks of a length to the ranks next to it, or to all. An inquiry is a request and a
 * reply. A sample is the time of so many calls, at the slowest rank; the median is printed. --crowd: next to so many
 * processes that compute without end. */
#include "base/sparse.h"
#include "base/hash.h"
#include "tests/bench/bench.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

typedef struct pattern {
    const char *name;
    int partners; /* 0: all other ranks */
    int64_t bytes;
    bool inquiry;
} pattern;

static const pattern patterns[] = {
    { "2 partners, 100 B", 2, 100, false },
    { "all, 100 B", 0, 100, false },
    { "all, 3 kB", 0, 3000, false },
    { "2 partners, 2 kB", 2, 2000, false },
    { "4 partners, 8 kB", 4, 8000, false },
    { "2 partners, 200 kB", 2, 200000, false },
    { "inquiry, 2 partners, 100 B", 2, 100, true },
    { "inquiry, all, 100 B", 0, 100, true },
    { "inquiry, 2 partners, 2 kB", 2, 2000, true },
};
enum { PATTERNS = sizeof patterns / sizeof *patterns };

static pid_t crowd[1000];

static void begin_crowd(int64_t count)
{
    const pid_t parent = getpid();
    for (int64_t i = 0; i < count; i++) {
        crowd[i] = fork();
        if (crowd[i] != 0) continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (volatile long k = 0; getppid() == parent; k++)
            for (volatile int j = 0; j < 1000000; j++) {}
        _exit(0);
    }
}

static void build(const pen_comm *comm, const pattern *p, pen_blocks *send)
{
    const int size = comm->size, partners = p->partners && p->partners < size ? p->partners : size - 1;
    memset(send, 0, sizeof *send);
    send->ranks = malloc((size_t)size * sizeof *send->ranks);
    send->offsets = malloc(((size_t)size + 1) * sizeof *send->offsets);
    send->data = calloc((size_t)partners + 1, (size_t)p->bytes);
    bench_require(send->ranks && send->offsets && send->data ? PEN_OK : PEN_ERR_MEMORY, "blocks");
    send->offsets[0] = 0;
    for (int r = 0; r < size; r++) {
        const int after = (r - comm->rank + size) % size;
        if (after == 0 || (after > (partners + 1) / 2 && size - after > partners / 2)) continue;
        memset(send->data + send->offsets[send->count], comm->rank + r, (size_t)p->bytes);
        send->ranks[send->count] = r;
        send->offsets[send->count + 1] = send->offsets[send->count] + p->bytes;
        send->count++;
    }
}

static void check(const pen_comm *comm, const pen_blocks *got, const pen_blocks *sent)
{
    bool right = got->count == sent->count;
    for (int i = 0; right && i < got->count; i++)
        for (int64_t k = got->offsets[i]; k < got->offsets[i + 1]; k++)
            right = right && got->data[k] == (unsigned char)(comm->rank + got->ranks[i]);
    bench_require(right ? PEN_OK : PEN_ERR_INTERNAL, "blocks");
}

static void call(pen_comm *comm, const pattern *p, const pen_blocks *send, const int64_t *lengths, bool checks)
{
    if (!p->inquiry) {
        pen_blocks received;
        bench_require(pen_sparse_exchange(comm, PEN_OK, send, &received), "exchange");
        if (checks) check(comm, &received, send);
        pen_blocks_free(&received);
        return;
    }
    pen_inquiry inquiry;
    bench_require(pen_sparse_request(comm, PEN_OK, send, lengths, &inquiry), "request");
    memcpy(inquiry.outgoing.data, inquiry.received.data, (size_t)pen_blocks_bytes(&inquiry.received));
    bench_require(pen_sparse_reply(comm, &inquiry), "reply");
    if (checks) check(comm, &inquiry.replies, send);
    pen_inquiry_free(&inquiry);
}

int main(int argc, char **argv)
{
    int64_t samples = 9, calls = 200, others = 0;
    const pen_option options[] = {
        { "samples", "N", "of each pattern (9)", PEN_OPTION_INT, &samples, 1, 10000 },
        { "calls", "N", "of a sample (200)", PEN_OPTION_INT, &calls, 1, 1000000 },
        { "crowd", "N", "other processes that compute (0)", PEN_OPTION_INT, &others, 0, 1000 },
        { .name = NULL },
    };
    bench_start(argc, argv, options);
    pen_comm *comm;
    bench_require(pen_comm_create(MPI_COMM_WORLD, &comm), "communicator");
    if (comm->rank == 0) begin_crowd(others);
    double *times = bench_room(samples);
    for (int i = 0; i < PATTERNS; i++) {
        const pattern *p = &patterns[i];
        pen_blocks send;
        build(comm, p, &send);
        int64_t *lengths = calloc((size_t)send.count + 1, sizeof *lengths);
        for (int b = 0; b < send.count; b++) lengths[b] = p->bytes;
        for (int k = 0; k < 3; k++) call(comm, p, &send, lengths, true);
        for (int64_t s = 0; s < samples; s++) {
            MPI_Barrier(MPI_COMM_WORLD);
            const double start = MPI_Wtime();
            for (int64_t k = 0; k < calls; k++) call(comm, p, &send, lengths, false);
            times[s] = bench_slowest(MPI_Wtime() - start) / (double)calls;
        }
        if (comm->rank == 0) printf("%-28s %10.2f us\n", p->name, 1e6 * bench_summarize(times, (int)samples).median);
        free(lengths);
        pen_blocks_free(&send);
    }
    for (int64_t i = 0; comm->rank == 0 && i < others; i++) kill(crowd[i], SIGKILL);
    free(times);
    pen_comm_destroy(&comm);
    return MPI_Finalize();
}
