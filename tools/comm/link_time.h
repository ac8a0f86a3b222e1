/* link_time.h - link times: MPI_Get and a flush, between some ranks of every two clusters.
 *
 * In a round every cluster meets one other, as in a tournament: each two meet once in as many rounds as there are
 * clusters, or one fewer. So time and memory of a rank grow with the number of clusters and not of pairs of ranks. Of
 * two clusters, their first ranks pull from each other, and then their last ones; within a cluster its first and
 * second, and its first and last. */
#pragma once

#include "base/comm.h"

enum { COMM_LINK_SLOTS = 2 };

/* The ranks that stand for a cluster. */
typedef struct comm_cluster {
    int first, second, last; /* second: that of the next lowest rank, or the first one where there is but one */
} comm_cluster;

/* Local. Those of clusters [0, count), each of which has a rank. */
void pen_link_clusters(int ranks, const int32_t *clusters, int32_t count, comm_cluster *list);

/* Local. How many rounds there are, the first one within clusters. */
int32_t pen_link_rounds(int32_t count);

/* Local. The cluster that this one meets in a round: itself in the first one, -1 where it pauses. */
int32_t pen_link_opponent(int32_t count, int32_t round, int32_t cluster);

/* Local. The rank that this one, of `cluster`, pulls from, and that pulls from it, in a slot of a round; -1: none. */
int pen_link_partner(const comm_cluster *list, int32_t count, int32_t round, int slot, int32_t cluster, int rank);

/* Seconds of a get of b bytes: latency + b * per_byte. */
typedef struct comm_link {
    double latency, per_byte; /* 0 where `samples` is 0 */
    double samples;           /* how many ranks have measured it */
} comm_link;

/* Collective. links[c * count + d], c <= d, on rank 0, of clusters [0, count): means over the ranks that have measured.
 * Each of these fits a line (fit.h) to the least times of blocks of 8 bytes to 128 KiB. PEN_ERR_ENVIRONMENT: no window
 * works here; PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_link_times(pen_comm *comm, const int32_t *clusters, int32_t count, comm_link *links);
