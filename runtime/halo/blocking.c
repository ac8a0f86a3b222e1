/* blocking.c - iC2mpi's prototype: compute everything, Isend, Recv. */
#include "halo/arrivals.h"
#include "halo/transports.h"
#include "halo/two_sided.h"

static void begin(pen_halo *halo, uint64_t pull)
{
    const pen_store *store = halo->store;
    pen_two_sided_send(halo, pull);
    pen_arrivals_tell(halo);
    pen_arrivals_await_if_crowded(halo);
    for (int f = 0; f < store->field_count; f++) {
        if (!(pull >> f & 1)) continue;
        for (int i = 0; i < store->producer_count; i++) {
            const pen_producer *producer = &halo->producers[i];
            PEN_MARK(awaited, producer->neighbor->rank);
            PEN_STEP_MPI(MPI_Recv(pen_halo_next(halo, f, producer->first), producer->count, halo->two_sided->record[f],
                                  producer->neighbor->rank, f, store->comm->mpi, MPI_STATUS_IGNORE));
            halo->syncs++;
        }
    }
    PEN_MARK(awaited, -1);
    pen_two_sided_wait(halo);
    pen_two_sided_count(halo, pull);
}

static void end(pen_halo *halo, uint64_t pull) {}

const pen_transport pen_transport_blocking = {
    .name = "blocking",
    .summary = "compute all, Isend, Recv (iC2mpi's prototype)",
    .open = pen_two_sided_open,
    .begin = begin,
    .end = end,
    .close = pen_two_sided_close,
};
