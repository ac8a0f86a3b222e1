/* fence.c - two fences per publishing phase around the gets. The plain back-end: the others are
 * tested against it. */
#include "halo/arrivals.h"
#include "halo/gets.h"
#include "halo/transports.h"

/* Both fences carry no assertions: Open MPI's shared components ignore them, and NOSTORE would be a
 * lie, since interior nodes are stored between the two. */
static void fence(pen_halo *halo, MPI_Win window)
{
    const pen_comm *comm = halo->store->comm;
    pen_meeting *meeting = comm->oversubscribed ? pen_meeting_of(comm) : NULL; /* else MPI polls without yielding */
    if (meeting) pen_meeting_await(meeting, pen_meeting_arrive(meeting), "a fence");
    PEN_STEP_MPI(MPI_Win_fence(0, window));
    halo->syncs++;
}

static void start(pen_halo *halo, uint64_t pull)
{
    fence(halo, halo->store->window.mpi);
    pen_gets_start(halo, pull, false);
}

static void begin(pen_halo *halo, uint64_t pull)
{
    pen_exports_pack(halo, pull);
    if (!halo->late) start(halo, pull);
}

static void end(pen_halo *halo, uint64_t pull)
{
    if (halo->late) start(halo, pull);
    fence(halo, halo->store->window.mpi);
    pen_gets_finish(halo, pull);
    halo->published++;
}

const pen_transport pen_transport_fence = {
    .name = "fence",
    .summary = "gets between two fences (default)",
    .one_sided = true,
    .fences = true,
    .overlaps = true,
    .begin = begin,
    .end = end,
    .far_begin = fence,
    .far_end = fence,
};
