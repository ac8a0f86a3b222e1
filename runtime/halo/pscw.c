/* pscw.c - post, start, complete, wait with the groups of the neighbours.
 *
 * The wait for the consumers comes just before the next post: by then they have long completed. No assertion is passed:
 * MPI_MODE_NOCHECK hangs Open MPI's osc/sm at the second epoch.
 *
 * tests/protocol/pscw.pml is a model of this file: change both together. */
#include "base/memory.h"
#include "halo/arrivals.h"
#include "halo/gets.h"
#include "halo/transports.h"

#include <stdlib.h>

typedef struct pscw_state {
    MPI_Group producers, consumers;
    bool exposed; /* a post has not been ended by a wait yet */
} pscw_state;

static pen_status make_group(MPI_Group all, const int *ranks, int count, MPI_Group *group)
{
    *group = MPI_GROUP_NULL;
    if (count > 0) PEN_MPI(MPI_Group_incl(all, count, ranks, group));
    return PEN_OK;
}

static pen_status make_groups(const pen_halo *halo, pscw_state *state, int *ranks)
{
    const pen_store *store = halo->store;
    MPI_Group all;
    PEN_MPI(MPI_Comm_group(store->comm->mpi, &all));
    for (int i = 0; i < store->producer_count; i++) ranks[i] = store->producers[i].rank;
    pen_status status = make_group(all, ranks, store->producer_count, &state->producers);
    for (int i = 0; i < store->consumer_count; i++) ranks[i] = store->consumers[i].rank;
    if (status == PEN_OK) status = make_group(all, ranks, store->consumer_count, &state->consumers);
    MPI_Group_free(&all);
    return status;
}

static pen_status prepare(pen_halo *halo)
{
    pscw_state *state = (pscw_state *)halo->state;
    state->producers = state->consumers = MPI_GROUP_NULL;
    int *ranks;
    PEN_TRY(PEN_ALLOC(&ranks, halo->neighbor_count));
    pen_status status = make_groups(halo, state, ranks);
    free(ranks);
    return status;
}

static void conceal(pen_halo *halo, pscw_state *state)
{
    if (!state->exposed) return;
    pen_meeting *meeting = halo->store->comm->meeting;
    if (meeting && pen_patience_is_crowded(&meeting->patience)) pen_arrivals_await_completed(halo);
    PEN_STEP_MPI(MPI_Win_wait(halo->store->window.mpi));
    halo->syncs++;
    state->exposed = false;
}

static void close_state(pen_halo *halo)
{
    pscw_state *state = (pscw_state *)halo->state;
    conceal(halo, state);
    if (state->producers != MPI_GROUP_NULL) MPI_Group_free(&state->producers);
    if (state->consumers != MPI_GROUP_NULL) MPI_Group_free(&state->consumers);
}

static pen_status open_state(pen_halo *halo)
{
    pen_status status = pen_agree(halo->store->comm, prepare(halo));
    if (status != PEN_OK) close_state(halo);
    return status;
}

static void start(pen_halo *halo, uint64_t pull)
{
    const pscw_state *state = (const pscw_state *)halo->state;
    if (state->producers == MPI_GROUP_NULL) return;
    (void)pen_arrivals_await_if_crowded(halo);
    PEN_STEP_MPI(MPI_Win_start(state->producers, 0, halo->store->window.mpi));
    halo->syncs++;
    pen_gets_start(halo, pull, false);
}

static void begin(pen_halo *halo, uint64_t pull)
{
    pscw_state *state = (pscw_state *)halo->state;
    MPI_Win window = halo->store->window.mpi;
    conceal(halo, state);
    pen_exports_pack(halo, pull);
    if (state->consumers != MPI_GROUP_NULL) {
        PEN_STEP_MPI(MPI_Win_post(state->consumers, 0, window));
        state->exposed = true;
    }
    pen_arrivals_tell(halo);
    if (!halo->late) start(halo, pull);
}

static void end(pen_halo *halo, uint64_t pull)
{
    const pscw_state *state = (const pscw_state *)halo->state;
    if (halo->late) start(halo, pull);
    halo->published++;
    if (state->producers != MPI_GROUP_NULL) {
        PEN_STEP_MPI(MPI_Win_complete(halo->store->window.mpi));
        halo->syncs++;
        pen_gets_finish(halo, pull);
    }
    pen_arrivals_tell_completed(halo);
}

/* End all exposures first, so that no epoch of one kind is open when one of the other begins. */
static void far_begin(pen_halo *halo, MPI_Win window)
{
    conceal(halo, (pscw_state *)halo->state);
    PEN_STEP_MPI(MPI_Win_fence(0, window));
}

static void far_end(pen_halo *halo, MPI_Win window) { PEN_STEP_MPI(MPI_Win_fence(MPI_MODE_NOSUCCEED, window)); }

const pen_transport pen_transport_pscw = {
    .name = "pscw",
    .summary = "gets between start and complete, with the neighbours only",
    .one_sided = true,
    .overlaps = true,
    .state_size = sizeof(pscw_state),
    .open = open_state,
    .begin = begin,
    .end = end,
    .far_begin = far_begin,
    .far_end = far_end,
    .close = close_state,
};
