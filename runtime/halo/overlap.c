/* overlap.c - iC2mpi's second version: boundary nodes, Isend and Irecv, interior nodes, Waitall. */
#include "halo/arrivals.h"
#include "halo/transports.h"
#include "halo/two_sided.h"

static void begin(pen_halo *halo, uint64_t pull)
{
    pen_two_sided_receive(halo, pull);
    pen_two_sided_send(halo, pull);
    pen_arrivals_tell(halo);
}

static void end(pen_halo *halo, uint64_t pull)
{
    pen_two_sided_wait(halo);
    pen_two_sided_count(halo, pull);
}

const pen_transport pen_transport_overlap = {
    .name = "overlap",
    .summary = "boundary nodes, Isend and Irecv, interior nodes, Waitall (iC2mpi's second version)",
    .overlaps = true,
    .open = pen_two_sided_open,
    .begin = begin,
    .end = end,
    .close = pen_two_sided_close,
};
