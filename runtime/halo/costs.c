/* costs.c - measures the cost of a get. */
#include "halo/costs.h"
#include "observe/timers.h"
#include "store/window.h"

enum { MANY = 32, SMALL = 8, LARGE = 1 << 16, ROUNDS = 5 };

/* Seconds to copy a record, measured on small records; it matters if stretches are a few records long. */
static const double copy_record = 2e-9;

PEN_PER_RANK const pen_costs *pen_costs_assumed;

/* Measure the seconds from a fence to the next with `count` gets of `bytes` between them, at the slowest rank: the best
 * of some rounds, since disturbances only add time. target < 0: this rank gets nothing. */
static pen_status best_time(pen_comm *comm, MPI_Win window, int target, int count, int bytes, double *seconds)
{
    unsigned char to[LARGE];
    *seconds = 1e30;
    for (int round = 0; round < ROUNDS; round++) {
        PEN_MPI(MPI_Win_fence(0, window));
        double start = pen_seconds_now(), slowest;
        for (int i = 0; i < (target >= 0 ? count : 0); i++)
            PEN_MPI(MPI_Get(to + i * SMALL, bytes, MPI_BYTE, target, i * SMALL, bytes, MPI_BYTE, window));
        PEN_MPI(MPI_Win_fence(0, window));
        double mine = pen_seconds_now() - start;
        PEN_TRY(pen_all_reduce(comm, &mine, &slowest, 1, MPI_DOUBLE, MPI_MAX));
        if (slowest < *seconds) *seconds = slowest;
    }
    return PEN_OK;
}

static double positive(double value) { return value > 0.0 ? value : 0.0; }

static pen_status measure(pen_comm *comm, MPI_Win window, int target, pen_get_cost *cost)
{
    int any = target >= 0;
    PEN_TRY(pen_all_reduce(comm, MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX));
    if (!any) return PEN_OK;
    double one, many, large;
    PEN_TRY(best_time(comm, window, target, 1, SMALL, &one));
    PEN_TRY(best_time(comm, window, target, MANY, SMALL, &many));
    PEN_TRY(best_time(comm, window, target, 1, LARGE, &large));
    cost->latency = positive(many - one) / (MANY - 1);
    cost->per_byte = positive(large - one) / (LARGE - SMALL);
    return PEN_OK;
}

/* Find the next rank on this host, and a rank on another host; -1: there is none. Two likely candidates for the remote
 * rank are tried: launchers place ranks host by host, or round-robin. */
static pen_status choose_targets(pen_comm *comm, int *local, int *remote)
{
    int next = (comm->host_rank + 1) % comm->host_size,
        previous = (comm->host_rank + comm->host_size - 1) % comm->host_size;
    PEN_MPI(
        MPI_Sendrecv(&comm->rank, 1, MPI_INT, previous, 0, local, 1, MPI_INT, next, 0, comm->host, MPI_STATUS_IGNORE));
    if (comm->host_size == 1) *local = -1;
    *remote = -1;
    int mine, theirs, hops[2] = { 1, 0 };
    PEN_MPI(MPI_Allreduce(&comm->rank, &mine, 1, MPI_INT, MPI_MIN, comm->host)); /* it identifies the host */
    PEN_TRY(pen_all_reduce(comm, &comm->host_size, &hops[1], 1, MPI_INT, MPI_MAX));
    for (int i = 0; i < 2; i++) {
        int hop = hops[i] % comm->size, to = (comm->rank + hop) % comm->size,
            from = (comm->rank + comm->size - hop) % comm->size;
        PEN_MPI(MPI_Sendrecv(&mine, 1, MPI_INT, from, 1, &theirs, 1, MPI_INT, to, 1, comm->mpi, MPI_STATUS_IGNORE));
        if (theirs != mine) *remote = to;
    }
    return PEN_OK;
}

/* Measure the seconds of a small message from the rank `hop` ranks on, if all ranks receive one at once, at the slowest
 * rank. */
static pen_status time_messages(pen_comm *comm, int hop, double *seconds)
{
    unsigned char to[SMALL], from[SMALL] = { 0 };
    int next = (comm->rank + hop) % comm->size, previous = (comm->rank + comm->size - hop) % comm->size;
    *seconds = 1e30;
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request requests[2];
        PEN_TRY(pen_barrier(comm));
        double start = pen_seconds_now(), slowest;
        PEN_MPI(MPI_Irecv(to, SMALL, MPI_BYTE, next, 2, comm->mpi, &requests[0]));
        PEN_MPI(MPI_Isend(from, SMALL, MPI_BYTE, previous, 2, comm->mpi, &requests[1]));
        PEN_MPI(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        double mine = pen_seconds_now() - start;
        PEN_TRY(pen_all_reduce(comm, &mine, &slowest, 1, MPI_DOUBLE, MPI_MAX));
        if (slowest < *seconds) *seconds = slowest;
    }
    return PEN_OK;
}

/* If some rank has a target on another host (`remote`), all ranks use that rank's distance for the messages. */
static pen_status compare(pen_comm *comm, MPI_Win window, int remote, pen_costs *costs)
{
    int hop = remote >= 0 ? (remote + comm->size - comm->rank) % comm->size : 0;
    double bare, got;
    PEN_TRY(pen_all_reduce(comm, MPI_IN_PLACE, &hop, 1, MPI_INT, MPI_MAX));
    if (hop == 0) return PEN_OK;
    PEN_TRY(best_time(comm, window, -1, 0, SMALL, &bare));
    PEN_TRY(best_time(comm, window, remote, 1, SMALL, &got));
    costs->fences = bare + got;
    return time_messages(comm, hop, &costs->messages);
}

pen_status pen_costs_measure(pen_comm *comm, pen_window_kind kind, bool compares, pen_costs *costs)
{
    if (pen_costs_assumed) {
        *costs = *pen_costs_assumed;
        return PEN_OK;
    }
    *costs = (pen_costs){ .copy_record = copy_record };
    pen_window window;
    int local = -1, remote = -1;
    PEN_TRY(pen_window_create(comm, kind, 2 * LARGE, &window));
    pen_status status = choose_targets(comm, &local, &remote);
    if (status == PEN_OK) status = measure(comm, window.mpi, local, &costs->local);
    if (status == PEN_OK) status = measure(comm, window.mpi, remote, &costs->remote);
    if (status == PEN_OK && compares && comm->hosts > 1) status = compare(comm, window.mpi, remote, costs);
    pen_window_destroy(&window);
    return pen_agree(comm, status);
}
