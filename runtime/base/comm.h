/* comm.h - the communicator wrapper, and agreement on failures.
 *
 * Every object works on its own duplicate, which returns errors instead of ending the program.
 *
 * Agreement: a rank that fails takes part, with nothing to contribute, in all collective calls up to the next
 * agreement point. There all ranks get the status and the sentence of the lowest failing rank. */
#pragma once

#include "base/meeting.h"
#include "base/status.h"

#define PEN_MPI_GID MPI_INT64_T

typedef struct pen_comm {
    MPI_Comm mpi; /* the duplicate, with MPI_ERRORS_RETURN */
    int rank, size;
    MPI_Comm host; /* the ranks of `mpi` that can share memory with this one, in rank order */
    int host_rank, host_size;
    int host_number, hosts; /* number of this host, by lowest ranks, and number of hosts */
    bool one_host;          /* all ranks share memory; equal on all ranks */
    bool oversubscribed;    /* some host has more ranks than cores that they may use; equal on all ranks */
    bool sleeping_fences;   /* new windows get fences that sleep (halo.h); equal on all ranks */
    /* Meeting of the ranks of this host; NULL: this rank is alone there, or they share no memory. */
    pen_meeting *meeting;
} pen_comm;

/* Local. Whether this thread can call MPI. PEN_ERR_ENVIRONMENT: MPI is not initialised, or finalised, or not usable
 * from this thread; PEN_ERR_ARGUMENT: a node function is running (marks.h). */
PEN_CHECKED pen_status pen_mpi_ready(void);

/* Local. For calls that cannot report a failure: end the program if MPI is finalised, or if a node function is
 * running. */
void pen_mpi_require(const char *call);

/* Collective over `parent`. */
PEN_CHECKED pen_status pen_comm_create(MPI_Comm parent, pen_comm **comm);

/* Collective. Nulls *comm; NULL and a null handle are legal. */
void pen_comm_destroy(pen_comm **comm);

/* Collective. Each rank contributes its status. All ranks get the same result: PEN_OK, or the status of the lowest
 * failing rank, whose sentence is set on all ranks. If no rank fails, it costs one all-reduce. */
PEN_CHECKED pen_status pen_agree(pen_comm *comm, pen_status mine);

/* An argument of a collective call that must be equal on all ranks: a text, which may be NULL, or else a number. */
typedef struct pen_argument {
    const char *name, *text;
    int64_t number;
} pen_argument;

/* Collective. Agree, and in the same all-reduce compare a hash of the arguments [count]. PEN_ERR_ARGUMENT on all ranks:
 * an argument is not equal on all ranks; the sentence names it. */
PEN_CHECKED pen_status pen_agree_equal(pen_comm *comm, pen_status mine, const pen_argument *arguments, int count);

/* Collective. Agree likewise. If no rank fails, words [more], at most 8, become those of rank 0 on all ranks. */
PEN_CHECKED pen_status pen_agree_with(pen_comm *comm, pen_status mine, const pen_argument *arguments, int count,
                                      int64_t *words, int more);

/* Collective. As MPI_Allreduce (`in` may be MPI_IN_PLACE), MPI_Bcast of bytes, and MPI_Barrier. On one host, small
 * data go through shared memory (meeting.h), in one order; otherwise ranks meet there before MPI's call, so that no
 * rank polls for a late one, and MPI chooses the order. Then a sum of doubles may have other last bits: only estimates
 * depend on one (sums that are results: exact_sum.h). PEN_ERR_MPI; but most failures end the program, as in PEN_MPI. */
PEN_CHECKED pen_status pen_all_reduce(const pen_comm *comm, const void *in, void *out, int count, MPI_Datatype type,
                                      MPI_Op op);
PEN_CHECKED pen_status pen_broadcast(const pen_comm *comm, void *bytes, int count, int root);
PEN_CHECKED pen_status pen_barrier(const pen_comm *comm);

/* Local. The meeting of all ranks; NULL: there is none. */
static inline pen_meeting *pen_meeting_of(const pen_comm *comm) { return comm->one_host ? comm->meeting : NULL; }

/* Collective all-reduce of one number. No rank fails alone: an MPI error ends the program (PEN_MPI). */
PEN_CHECKED pen_status pen_sum_int(pen_comm *comm, int64_t mine, int64_t *all);
PEN_CHECKED pen_status pen_max_int(pen_comm *comm, int64_t mine, int64_t *all);

/* Collective. The sum over the ranks before this one. */
PEN_CHECKED pen_status pen_prefix_int(pen_comm *comm, int64_t mine, int64_t *before);
