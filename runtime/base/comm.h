/* comm.h - the communicator wrapper, and agreement on failures.
 *
 * Every object works on its own duplicate, which returns errors instead of ending the program.
 *
 * Agreement: between two agreement points a rank that fails goes on to take part in what the others
 * do (with nothing to contribute), or there is nothing collective in between. At the point, the
 * lowest failing rank's status and sentence become everybody's. */
#pragma once

#include "base/status.h"

#define PEN_MPI_GID MPI_INT64_T

typedef struct pen_comm {
    MPI_Comm mpi; /* our duplicate, MPI_ERRORS_RETURN */
    int rank, size;
    MPI_Comm host; /* the ranks of `mpi` that can share memory with this one, in rank order */
    int host_rank, host_size;
    int host_number, hosts; /* hosts are numbered by their lowest ranks */
    bool one_host;          /* all ranks share memory; equal on all ranks */
    bool oversubscribed;    /* more ranks on some host than cores that they may use; equal on all ranks */
} pen_comm;

/* Local. Can this thread call MPI, and do others, too? PEN_ERR_ENVIRONMENT: it is not initialised, or finalised, or not
 * for this thread; PEN_ERR_ARGUMENT: this is within a node function (marks.h). */
PEN_CHECKED pen_status pen_mpi_ready(void);

/* Local. End the program where MPI is finalised, or within a node function: what cannot report a failure was called
 * too late, or there. */
void pen_mpi_require(const char *call);

/* Collective over `parent`. */
PEN_CHECKED pen_status pen_comm_create(MPI_Comm parent, pen_comm **comm);

/* Collective. Nulls *comm; NULL and a null handle are legal. */
void pen_comm_destroy(pen_comm **comm);

/* Collective. Every rank contributes the status of what it did; all get the same: PEN_OK, or the
 * status of the lowest failing rank, whose sentence is set on all ranks. One all-reduce when all is
 * well. */
PEN_CHECKED pen_status pen_agree(pen_comm *comm, pen_status mine);

/* An argument of a collective call that must be equal on all ranks: a text, which may be NULL, or else a number. */
typedef struct pen_argument {
    const char *name, *text;
    int64_t number;
} pen_argument;

/* Collective. The same, in one all-reduce, also of a hash of the arguments [count]: PEN_ERR_ARGUMENT on all ranks
 * where one of them is not equal, which the sentence names. */
PEN_CHECKED pen_status pen_agree_equal(pen_comm *comm, pen_status mine, const pen_argument *arguments, int count);

/* Collective. The same, of a path; where all is well *word becomes that of rank 0 on all ranks. */
PEN_CHECKED pen_status pen_agree_with(pen_comm *comm, pen_status mine, const char *path, int64_t *word);

/* Collective all-reduce of one word. They fail on no rank: where MPI does, the program ends (PEN_MPI). */
PEN_CHECKED pen_status pen_sum_int(pen_comm *comm, int64_t mine, int64_t *all);
PEN_CHECKED pen_status pen_max_int(pen_comm *comm, int64_t mine, int64_t *all);

/* Collective. Sum over the ranks before this one. */
PEN_CHECKED pen_status pen_prefix_int(pen_comm *comm, int64_t mine, int64_t *before);
