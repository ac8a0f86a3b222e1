/* shared.c - within a host a rank tells its neighbours that it has published (arrivals.h), and a pull is a copy
 * straight from the neighbour's plane. Between hosts it works like passive, from export areas in a window of their
 * own.
 *
 * tests/protocol/shared.pml is a model of this file within a host: change both together. */
#include "halo/arrivals.h"
#include "halo/gets.h"
#include "halo/notify.h"
#include "halo/transports.h"

#include <stdatomic.h>

typedef struct shared_state {
    bool remote;         /* some rank has neighbours on another host: equal on all ranks */
    pen_notices notices; /* notices with neighbours on other hosts */
} shared_state;

static pen_status prepare(const pen_halo *halo, shared_state *state)
{
    for (int i = 0; i < halo->neighbor_count; i++)
        if (!halo->neighbors[i].remote && !halo->neighbors[i].desk)
            return pen_fail(PEN_ERR_ENVIRONMENT, "--comm=shared needs memfd_create and /proc: use --comm=fence");
    return pen_notices_create(halo, true, &state->notices);
}

static pen_status open_state(pen_halo *halo)
{
    shared_state *state = (shared_state *)halo->state;
    pen_status status = prepare(halo, state);
    state->remote = !halo->store->comm->one_host;
    if (state->remote) status = pen_gets_lock(halo, status, halo->export_window);
    else status = pen_agree(halo->store->comm, status);
    if (status != PEN_OK) pen_notices_free(&state->notices);
    return status;
}

static void close_state(pen_halo *halo)
{
    shared_state *state = (shared_state *)halo->state;
    if (state->remote && !halo->lender) PEN_STEP_MPI(MPI_Win_unlock_all(halo->export_window));
    pen_notices_free(&state->notices);
}

static void load_field(pen_halo *halo, const pen_producer *producer, int field)
{
    const pen_store *store = halo->store;
    for (int r = 0; r < producer->stretch_count; r++) {
        const pen_stretch *stretch = &producer->stretches[r];
        memcpy(pen_halo_next(halo, field, stretch->to),
               producer->neighbor->direct + pen_halo_next_offset(halo, producer, field, stretch->from),
               (size_t)stretch->count * store->sizes[field]);
    }
    halo->gets += producer->stretch_count;
    halo->bytes += producer->count * (int64_t)store->sizes[field];
}

static void begin(pen_halo *halo, uint64_t pull)
{
    shared_state *state = (shared_state *)halo->state;
    if (state->remote) {
        pen_exports_pack(halo, pull);
        atomic_thread_fence(memory_order_seq_cst);
        PEN_STEP_MPI(MPI_Win_sync(halo->export_window));
    }
    pen_arrivals_tell(halo);
    if (state->notices.count > 0) {
        pen_notices_send(halo, &state->notices);
        pen_notices_wait(&state->notices);
        PEN_STEP_MPI(MPI_Win_sync(halo->export_window));
        atomic_thread_fence(memory_order_seq_cst);
        pen_gets_start(halo, pull, true);
    }
}

static void end(pen_halo *halo, uint64_t pull)
{
    const shared_state *state = (const shared_state *)halo->state;
    const pen_store *store = halo->store;
    pen_arrivals_await(halo);
    halo->syncs++;
    for (int i = 0; i < store->producer_count; i++) {
        const pen_producer *producer = &halo->producers[i];
        if (producer->neighbor->remote) continue;
        for (int f = 0; f < store->field_count; f++)
            if (pull >> f & 1) load_field(halo, producer, f);
    }
    if (state->notices.count > 0) {
        PEN_STEP_MPI(MPI_Win_flush_all(halo->export_window));
        halo->syncs++;
    }
    halo->published++;
}

static void far_order(pen_halo *halo, MPI_Win window) { atomic_thread_fence(memory_order_seq_cst); }

static void far_end(pen_halo *halo, MPI_Win window)
{
    far_order(halo, window);
    PEN_STEP(pen_barrier(halo->store->comm));
}

const pen_transport pen_transport_shared = {
    .name = "shared",
    .summary = "within a host, flags and copies in shared memory; between hosts, like passive",
    .one_sided = true,
    .by_load = true,
    .overlaps = true,
    .state_size = sizeof(shared_state),
    .open = open_state,
    .begin = begin,
    .end = end,
    .far_order = far_order,
    .far_end = far_end,
    .close = close_state,
};
