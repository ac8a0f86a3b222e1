/* notify.c - sends and awaits empty messages between neighbours. */
#include "halo/notify.h"
#include "base/memory.h"

enum { TAG = 1000 }; /* two-sided transports use the numbers of fields as tags */

pen_status pen_notices_create(const pen_halo *halo, bool remote_only, pen_notices *notices)
{
    *notices = (pen_notices){ .count = 0 };
    PEN_TRY(PEN_ALLOC(&notices->ranks, halo->neighbor_count));
    PEN_TRY(PEN_ALLOC(&notices->requests, 2 * (int64_t)halo->neighbor_count));
    for (int i = 0; i < halo->neighbor_count; i++)
        if (halo->neighbors[i].remote || !remote_only) notices->ranks[notices->count++] = halo->neighbors[i].rank;
    return PEN_OK;
}

void pen_notices_free(pen_notices *notices)
{
    PEN_FREE_ALL(notices->ranks, notices->requests);
    *notices = (pen_notices){ .count = 0 };
}

void pen_notices_send(pen_halo *halo, pen_notices *notices)
{
    MPI_Comm comm = halo->store->comm->mpi;
    MPI_Request *request = notices->requests;
    int tag = TAG + (int)(halo->published & 1);
    for (int i = 0; i < notices->count; i++)
        PEN_STEP_MPI(MPI_Irecv(NULL, 0, MPI_BYTE, notices->ranks[i], tag, comm, request++));
    for (int i = 0; i < notices->count; i++)
        PEN_STEP_MPI(MPI_Isend(NULL, 0, MPI_BYTE, notices->ranks[i], tag, comm, request++));
    notices->request_count = 2 * notices->count;
}

/* Wait for one notice after the other, so that a mark names the missing rank. */
void pen_notices_wait(pen_notices *notices)
{
    int sends = notices->request_count - notices->count;
    for (int i = 0; i < notices->count; i++) {
        PEN_MARK(awaited, notices->ranks[i]);
        PEN_STEP_MPI(MPI_Wait(&notices->requests[i], MPI_STATUS_IGNORE));
    }
    PEN_MARK(awaited, -1);
    PEN_STEP_MPI(MPI_Waitall(sends, notices->requests + notices->count, MPI_STATUSES_IGNORE));
    notices->request_count = 0;
}
