/* persistent.c - like overlap, with persistent requests: a set for each field and each of its planes. */
#include "base/memory.h"
#include "halo/arrivals.h"
#include "halo/transports.h"
#include "halo/two_sided.h"

#include <stdlib.h>

typedef struct persistent_state {
    MPI_Request *sets; /* [2*fields*per_set] requests: in each set receives, then sends */
    int per_set;       /* number of requests in a set: producers + consumers */
} persistent_state;

static MPI_Request *set_of(const pen_halo *halo, int field, int plane)
{
    const persistent_state *state = (const persistent_state *)halo->state;
    return state->sets + (int64_t)(2 * field + plane) * state->per_set;
}

static pen_status make_set(pen_halo *halo, int field, int plane)
{
    const pen_store *store = halo->store;
    MPI_Datatype record = halo->two_sided->record[field];
    MPI_Request *request = set_of(halo, field, plane);
    unsigned char *base = pen_window_payload(&store->window) + store->offsets[2 * field + plane];
    for (int i = 0; i < store->producer_count; i++)
        PEN_MPI(MPI_Recv_init(base + (size_t)halo->producers[i].first * store->sizes[field], halo->producers[i].count,
                              record, halo->producers[i].neighbor->rank, field, store->comm->mpi, request++));
    for (int i = 0; i < store->consumer_count; i++)
        PEN_MPI(MPI_Send_init(pen_two_sided_source(halo, field, plane, i), store->consumers[i].count, record,
                              store->consumers[i].rank, field, store->comm->mpi, request++));
    return PEN_OK;
}

static pen_status make_sets(pen_halo *halo)
{
    const pen_store *store = halo->store;
    persistent_state *state = (persistent_state *)halo->state;
    state->per_set = store->producer_count + store->consumer_count;
    int64_t requests = 2 * (int64_t)store->field_count * state->per_set;
    PEN_TRY(PEN_ALLOC(&state->sets, requests));
    for (int64_t i = 0; i < requests; i++) state->sets[i] = MPI_REQUEST_NULL;
    for (int f = 0; f < store->field_count; f++)
        for (int plane = 0; plane < 2; plane++) PEN_TRY(make_set(halo, f, plane));
    return PEN_OK;
}

static void close_state(pen_halo *halo)
{
    persistent_state *state = (persistent_state *)halo->state;
    int64_t requests = state->sets ? 2 * (int64_t)halo->store->field_count * state->per_set : 0;
    for (int64_t i = 0; i < requests; i++)
        if (state->sets[i] != MPI_REQUEST_NULL) MPI_Request_free(&state->sets[i]);
    free(state->sets);
    pen_two_sided_close(halo);
}

static pen_status open_state(pen_halo *halo)
{
    PEN_TRY(pen_two_sided_open(halo));
    pen_status status = pen_agree(halo->store->comm, make_sets(halo));
    if (status != PEN_OK) close_state(halo);
    return status;
}

static void begin(pen_halo *halo, uint64_t pull)
{
    const pen_store *store = halo->store;
    const persistent_state *state = (const persistent_state *)halo->state;
    for (int f = 0; f < store->field_count; f++) {
        if (!(pull >> f & 1)) continue;
        pen_two_sided_pack(halo, f);
        PEN_STEP_MPI(MPI_Startall(state->per_set, set_of(halo, f, store->plane[f] ^ 1)));
    }
    pen_arrivals_tell(halo);
}

static void end(pen_halo *halo, uint64_t pull)
{
    const pen_store *store = halo->store;
    const persistent_state *state = (const persistent_state *)halo->state;
    const bool crowded = pen_arrivals_await_if_crowded(halo);
    for (int f = 0; crowded && f < store->field_count; f++)
        if (pull >> f & 1)
            PEN_STEP_MPI(MPI_Waitall(store->producer_count, set_of(halo, f, store->plane[f] ^ 1), MPI_STATUSES_IGNORE));
    pen_arrivals_tell_completed(halo);
    if (crowded) pen_arrivals_await_completed(halo);
    for (int f = 0; f < store->field_count; f++) {
        if (!(pull >> f & 1)) continue;
        PEN_STEP_MPI(MPI_Waitall(state->per_set, set_of(halo, f, store->plane[f] ^ 1), MPI_STATUSES_IGNORE));
        halo->syncs++;
    }
    pen_two_sided_count(halo, pull);
}

const pen_transport pen_transport_persistent = {
    .name = "persistent",
    .summary = "like overlap, with persistent requests",
    .overlaps = true,
    .state_size = sizeof(persistent_state),
    .open = open_state,
    .begin = begin,
    .end = end,
    .close = close_state,
};
