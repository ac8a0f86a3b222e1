/* link_time.c - measures the times of links between clusters. */
#include "tools/comm/link_time.h"
#include "base/memory.h"
#include "observe/timers.h"
#include "store/window.h"
#include "tools/comm/fit.h"

#include <math.h>

void pen_link_clusters(int ranks, const int32_t *clusters, int32_t count, comm_cluster *list)
{
    for (int32_t c = 0; c < count; c++) list[c] = (comm_cluster){ -1, -1, -1 };
    for (int r = 0; r < ranks; r++) {
        comm_cluster *c = &list[clusters[r]];
        if (c->first < 0) c->first = c->second = r;
        else if (c->second == c->first) c->second = r;
        c->last = r;
    }
}

/* The length of a cycle of the round-robin schedule. In rounds 1 to `cycle`, an odd number, the numbers of two
 * opponents add up to the round modulo `cycle`. A cluster that would be its own opponent has the last cluster as
 * opponent if the number of clusters is even; otherwise it pauses. */
static int32_t cycle_of(int32_t count) { return count % 2 ? count : count - 1; }

int32_t pen_link_rounds(int32_t count) { return count > 1 ? 1 + cycle_of(count) : 1; }

int32_t pen_link_opponent(int32_t count, int32_t round, int32_t cluster)
{
    int32_t cycle = cycle_of(count);
    if (round == 0) return cluster;
    if (cluster == cycle) return round % 2 ? (round + cycle) / 2 % cycle : round / 2;
    int32_t other = (round + cycle - cluster) % cycle;
    if (other != cluster) return other;
    return cycle < count ? cycle : -1;
}

/* The rank that represents a cluster in a slot. */
static int find_partner(const comm_cluster *mine, const comm_cluster *other, int slot, int rank)
{
    if (mine == other) {
        int with = slot == 0 ? mine->second : mine->last;
        if (with == mine->first || (slot > 0 && mine->last == mine->second)) return -1;
        if (rank == mine->first) return with;
        return rank == with ? mine->first : -1;
    }
    if (slot == 0) return rank == mine->first ? other->first : -1;
    if (mine->first == mine->last && other->first == other->last) return -1;
    return rank == mine->last ? other->last : -1;
}

int pen_link_partner(const comm_cluster *list, int32_t count, int32_t round, int slot, int32_t cluster, int rank)
{
    int32_t other = pen_link_opponent(count, round, cluster);
    return other < 0 ? -1 : find_partner(&list[cluster], &list[other], slot, rank);
}

enum { SIZES = 8, LARGEST = 128 * 1024, SAMPLES = 15, LEAST_SAMPLES = 3, GETS = 4 };

/* Time limit in seconds after which no sample of a pair begins, except the first ones. */
static const double pair_seconds = 0.1;

typedef struct prober {
    pen_window window;
    int64_t *shifts; /* [ranks] position of each rank's data in its window */
    unsigned char *to;
} prober;

static pen_status get_some(const prober *p, int rank, int bytes)
{
    MPI_Aint at = (MPI_Aint)p->shifts[rank];
    for (int i = 0; i < GETS; i++) {
        PEN_MPI(MPI_Get(p->to, bytes, MPI_BYTE, rank, at, bytes, MPI_BYTE, p->window.mpi));
        PEN_MPI(MPI_Win_flush(rank, p->window.mpi));
    }
    return PEN_OK;
}

/* Add this rank's measurements to the link. */
static pen_status probe(const prober *p, int rank, comm_link *link)
{
    double sizes[SIZES], least[SIZES], begun = pen_seconds_now();
    for (int s = 0; s < SIZES; s++) least[s] = HUGE_VAL;
    for (int n = 0; n < SAMPLES && (n < LEAST_SAMPLES || pen_seconds_now() - begun < pair_seconds); n++)
        for (int s = 0; s < SIZES; s++) {
            int bytes = LARGEST >> 2 * (SIZES - 1 - s);
            double start = pen_seconds_now();
            PEN_TRY(get_some(p, rank, bytes));
            sizes[s] = bytes;
            least[s] = fmin(least[s], (pen_seconds_now() - start) / GETS);
        }
    comm_fit line = pen_fit_line(sizes, least, SIZES);
    link->latency += line.start;
    link->per_byte += line.slope > 0.0 ? line.slope : least[SIZES - 1] / LARGEST;
    link->samples += 1.0;
    return PEN_OK;
}

static pen_status probe_all(pen_comm *comm, const prober *p, const int32_t *clusters, int32_t count,
                            const comm_cluster *list, comm_link *links)
{
    pen_status status = PEN_OK;
    int32_t mine = clusters[comm->rank];
    for (int32_t round = 0; round < pen_link_rounds(count); round++)
        for (int slot = 0; slot < COMM_LINK_SLOTS; slot++) {
            PEN_MPI(MPI_Barrier(comm->mpi));
            int partner = pen_link_partner(list, count, round, slot, mine, comm->rank);
            if (partner < 0 || status != PEN_OK) continue;
            int64_t other = clusters[partner];
            status = probe(p, partner, &links[mine < other ? mine * count + other : other * count + mine]);
        }
    return status;
}

/* Collective. Turn sums over ranks into means on rank 0. */
static pen_status add_up(pen_comm *comm, int32_t count, comm_link *links)
{
    enum { WORDS = sizeof(comm_link) / sizeof(double) };
    int64_t all = (int64_t)count * count;
    PEN_MPI(MPI_Reduce(comm->rank == 0 ? MPI_IN_PLACE : links, links, (int)(all * WORDS), MPI_DOUBLE, MPI_SUM, 0,
                       comm->mpi));
    for (int64_t k = 0; k < all; k++) {
        if (!(links[k].samples > 0.0)) continue;
        links[k].latency /= links[k].samples;
        links[k].per_byte /= links[k].samples;
    }
    return PEN_OK;
}

/* Collective. Measure all pairs of a window in one passive epoch. */
static pen_status measure(pen_comm *comm, prober *p, const int32_t *clusters, int32_t count, comm_cluster *list,
                          comm_link *links)
{
    p->shifts[comm->rank] = p->window.shift;
    PEN_MPI(MPI_Allgather(MPI_IN_PLACE, 1, MPI_INT64_T, p->shifts, 1, MPI_INT64_T, comm->mpi));
    pen_link_clusters(comm->size, clusters, count, list);
    PEN_MPI(MPI_Win_lock_all(0, p->window.mpi));
    pen_status status = pen_agree(comm, probe_all(comm, p, clusters, count, list, links));
    PEN_MPI(MPI_Win_unlock_all(p->window.mpi));
    return status == PEN_OK ? add_up(comm, count, links) : status;
}

pen_status pen_link_times(pen_comm *comm, const int32_t *clusters, int32_t count, comm_link *links)
{
    prober p = { .shifts = NULL };
    comm_cluster *list = NULL;
    pen_window_kind kind;
    PEN_TRY(pen_environment_probe(comm, LARGEST, false, &kind));
    if (kind == PEN_WINDOW_NONE)
        return pen_fail(PEN_ERR_ENVIRONMENT, "no one-sided communication: %s", pen_environment_reason());
    PEN_TRY(pen_window_create(comm, kind, LARGEST, &p.window));
    pen_status status = PEN_ALLOC(&p.shifts, comm->size);
    if (status == PEN_OK) status = PEN_ALLOC(&list, count);
    if (status == PEN_OK) status = PEN_ALLOC(&p.to, LARGEST);
    for (int64_t k = 0; k < (int64_t)count * count; k++) links[k] = (comm_link){ 0.0, 0.0, 0.0 };
    status = pen_agree(comm, status);
    if (status == PEN_OK) {
        memset(p.to, 0, LARGEST);
        status = measure(comm, &p, clusters, count, list, links);
    }
    pen_window_destroy(&p.window);
    PEN_FREE_ALL(p.shifts, p.to, list);
    return status;
}
