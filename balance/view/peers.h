/* peers.h - the ranks of a communicator, as algorithms see them (penumbra_plugin.h).
 *
 * Every collective call begins with an agreement that all ranks make the same call, so that a rank that has failed, or
 * has returned, stops the others instead of leaving them waiting. Within an algorithm PEN_TRY is safe everywhere. */
#pragma once

#include "base/comm.h"
#include "base/sparse.h"

/* The result of the last grouping. */
typedef struct pen_grouped {
    pen_blocks blocks;
    pen_parcels parcels; /* the same blocks, in the form in which they are sent */
} pen_grouped;

/* Local. Functions of pen_peers that need no communication. */
PEN_CHECKED pen_status pen_grouped_make(pen_grouped *grouped, int64_t count, const int *to, const void *records,
                                        size_t size, int64_t *order, const pen_parcels **parcels);
int pen_neighbor_ranks(const pen_load_view *view, int *ranks);

/* Local. Check what an algorithm passes: the blocks of an exchange (PEN_ERR_INTERNAL), and the numbers of values of a
 * reduction (PEN_ERR_ARGUMENT). */
PEN_CHECKED pen_status pen_peers_check_blocks(const pen_peers *peers, const pen_parcels *send);
PEN_CHECKED pen_status pen_peers_check_counts(int sums, int maxima);

typedef struct pen_mpi_peers {
    pen_peers peers; /* the public part. It is the first member, since algorithms get a pointer to it. */
    pen_comm *comm;
    pen_blocks received;
    pen_grouped grouped;
    double *words;                 /* send and receive buffer of a reduction */
    int64_t room;                  /* number of words for which the buffer has room */
    pen_status broken;             /* status of all further calls if one has failed, else PEN_OK */
    bool told;                     /* another rank is the reason of the failure */
    bool mpi_failed;               /* MPI has failed in a call */
    double started, waited;        /* processor time of this rank in seconds: at the start; in calls since then */
    int64_t exchanges, reductions; /* numbers of calls that were made */
} pen_mpi_peers;

/* The use that an algorithm has made of the peers. */
typedef struct pen_peers_use {
    double cpu_seconds;            /* processor time in seconds that this rank spent outside of the calls */
    int64_t exchanges, reductions; /* numbers of calls, equal on all ranks */
} pen_peers_use;

/* Collective. Begin. On failure *peers is empty: PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_peers_begin(pen_comm *comm, pen_mpi_peers *peers);

/* Collective, after the algorithm returned `mine`. Returns on all ranks the first status of a rank that failed by
 * itself, with a sentence that names the rank unless all failed. PEN_ERR_INTERNAL if `mine` is not a status, or if the
 * algorithm returns a failure that it cannot have. `use` may be NULL. */
PEN_CHECKED pen_status pen_peers_end(pen_mpi_peers *peers, pen_status mine, pen_peers_use *use);

/* Local. Convert an algorithm's result on a rank to a status, with a sentence that names the rank. Algorithms may
 * return any number: what is no status becomes PEN_ERR_INTERNAL, as do PEN_ERR_MPI unless MPI has failed, and
 * PEN_ERR_STOPPED. Replays call it, too. */
PEN_CHECKED pen_status pen_peers_status(int rank, bool mpi_failed, pen_status mine);

/* Local. Free peers that serve no algorithm, only calls of the library. */
void pen_peers_free(pen_mpi_peers *peers);
