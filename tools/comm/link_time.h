/* link_time.h - measures link times: MPI_Get and a flush, between some ranks of every two clusters.
 *
 * In a round every cluster meets one other, as in a tournament: each two meet once in as many rounds as there are
 * clusters, or one fewer. So time and memory of a rank grow with the number of clusters and not of pairs of ranks. The
 * first ranks of two clusters pull from each other, and then their last ranks; within a cluster its first and second
 * rank do, and its first and last. */
#pragma once

#include "base/comm.h"

enum { COMM_LINK_SLOTS = 2 };

/* The ranks that measure for a cluster. */
typedef struct comm_cluster {
    int first, second, last; /* ranks; `second` is the next after first, equal to first in a cluster of one rank */
} comm_cluster;

/* Local. Find the representatives of clusters [0, count), each of which has a rank. */
void pen_link_clusters(int ranks, const int32_t *clusters, int32_t count, comm_cluster *list);

/* Local. The number of rounds. In the first round, clusters measure within themselves. */
int32_t pen_link_rounds(int32_t count);

/* Local. The opponent of a cluster in a round: itself in the first round, -1 if it pauses. */
int32_t pen_link_opponent(int32_t count, int32_t round, int32_t cluster);

/* Local. The partner of a rank of `cluster` in a slot of a round: both pull from each other; -1: none. */
int pen_link_partner(const comm_cluster *list, int32_t count, int32_t round, int slot, int32_t cluster, int rank);

/* Seconds of a get of b bytes: latency + b * per_byte. */
typedef struct comm_link {
    double latency, per_byte; /* parameters of the line; 0 if `samples` is 0 */
    double samples;           /* number of ranks that measured the link */
} comm_link;

/* Collective. Measure links[c * count + d], c <= d, of clusters [0, count), on rank 0: means over the ranks that
 * measured. Each rank fits a line (fit.h) to the least times of blocks of 8 bytes to 128 KiB. PEN_ERR_ENVIRONMENT: no
 * window works here; PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_link_times(pen_comm *comm, const int32_t *clusters, int32_t count, comm_link *links);
