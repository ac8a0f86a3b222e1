/* passive.c - one lock_all for the life of the plan; neighbours notify each other, then get and flush.
 *
 * The fences of the C memory model are needed in addition to MPI_Win_sync: in Open MPI's osc/rdma, MPI_Win_sync only
 * drives progress. One flush_all replaces a flush per producer, since each of them waits for all targets in osc/rdma.
 *
 * tests/protocol/passive.pml is a model of this file: change both together. */
#include "halo/arrivals.h"
#include "halo/gets.h"
#include "halo/notify.h"
#include "halo/transports.h"

#include <stdatomic.h>

static void sync_window(MPI_Win window)
{
    PEN_STEP_MPI(MPI_Win_sync(window));
    atomic_thread_fence(memory_order_seq_cst);
}

/* In memory that ranks share, arrivals order stores and loads. Elsewhere notices order them, and drive MPI's progress.
 */
static bool has_arrivals(const pen_halo *halo)
{
    return halo->store->window.kind == PEN_WINDOW_SHARED && halo->store->comm->meeting;
}

static pen_status open_state(pen_halo *halo)
{
    pen_notices *notices = (pen_notices *)halo->state;
    pen_status status = pen_notices_create(halo, false, notices);
    int *model = NULL, found = 0;
    const int code = MPI_Win_get_attr(halo->store->window.mpi, MPI_WIN_MODEL, &model, &found);
    if (status == PEN_OK && (code != MPI_SUCCESS || !found || *model != MPI_WIN_UNIFIED))
        status = pen_fail(PEN_ERR_ENVIRONMENT, "--comm=passive needs MPI's unified memory model: use --comm=fence");
    status = pen_gets_lock(halo, status, halo->store->window.mpi);
    if (status != PEN_OK) pen_notices_free(notices);
    return status;
}

static void close_state(pen_halo *halo)
{
    if (!halo->lender) PEN_STEP_MPI(MPI_Win_unlock_all(halo->store->window.mpi));
    pen_notices_free((pen_notices *)halo->state);
}

static void start(pen_halo *halo, uint64_t pull)
{
    if (has_arrivals(halo)) pen_arrivals_await(halo);
    else pen_notices_wait((pen_notices *)halo->state);
    halo->syncs++;
    sync_window(halo->store->window.mpi);
    pen_gets_start(halo, pull, false);
}

static void begin(pen_halo *halo, uint64_t pull)
{
    pen_exports_pack(halo, pull);
    atomic_thread_fence(memory_order_seq_cst);
    sync_window(halo->store->window.mpi);
    pen_arrivals_tell(halo);
    if (!has_arrivals(halo)) pen_notices_send(halo, (pen_notices *)halo->state);
    if (!halo->late) start(halo, pull);
}

static void end(pen_halo *halo, uint64_t pull)
{
    if (halo->late) start(halo, pull);
    PEN_STEP_MPI(MPI_Win_flush_all(halo->store->window.mpi));
    halo->syncs++;
    pen_gets_finish(halo, pull);
    halo->published++;
}

static void far_order(pen_halo *halo, MPI_Win window)
{
    atomic_thread_fence(memory_order_seq_cst);
    sync_window(window);
}

static void far_end(pen_halo *halo, MPI_Win window)
{
    PEN_STEP_MPI(MPI_Win_flush_all(window));
    PEN_STEP(pen_barrier(halo->store->comm));
}

const pen_transport pen_transport_passive = {
    .name = "passive",
    .summary = "MPI_Win_lock_all once, notifications between neighbours, gets, one flush",
    .one_sided = true,
    .overlaps = true,
    .locks = true,
    .state_size = sizeof(pen_notices),
    .open = open_state,
    .begin = begin,
    .end = end,
    .far_order = far_order,
    .far_end = far_end,
    .close = close_state,
};
