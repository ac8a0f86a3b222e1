/* neighbor.c - a neighbourhood collective per field, on a distributed graph communicator of the
 * consumers and producers. Open MPI 4 runs it as a loop of sends and receives. */
#include "memory.h"
#include "two_sided.h"

#include <stdlib.h>

typedef struct neighbor_state {
    MPI_Comm graph;
    int *counts;            /* [consumers+producers] nodes: to consumers, then from producers */
    MPI_Aint *addresses;    /* [consumers+producers] of the records of one field, filled anew each time */
    MPI_Datatype *types;    /* [consumers+producers] likewise */
} neighbor_state;

static pen_status prepare(pen_halo *halo)
{
    const pen_store *store = halo->store;
    int consumers = store->consumer_count, partners = consumers + store->producer_count;
    neighbor_state *state;
    PEN_TRY(PEN_ALLOC_ZERO(&state, 1));
    halo->state = state;
    state->graph = MPI_COMM_NULL;
    PEN_TRY(PEN_ALLOC(&state->counts, partners));
    PEN_TRY(PEN_ALLOC(&state->addresses, partners));
    PEN_TRY(PEN_ALLOC(&state->types, partners));
    for (int i = 0; i < consumers; i++) state->counts[i] = store->consumers[i].count;
    for (int i = consumers; i < partners; i++) state->counts[i] = halo->producers[i - consumers].count;
    return PEN_OK;
}

/* Collective. */
static pen_status connect(pen_halo *halo)
{
    const pen_store *store = halo->store;
    neighbor_state *state = (neighbor_state *)halo->state;
    int *ranks; /* to consumers, then from producers */
    pen_status status = PEN_ALLOC(&ranks, (int64_t)store->consumer_count + store->producer_count);
    PEN_TRY(pen_agree(store->comm, status));
    int *sources = ranks + store->consumer_count;
    for (int i = 0; i < store->consumer_count; i++) ranks[i] = store->consumers[i].rank;
    for (int i = 0; i < store->producer_count; i++) sources[i] = halo->producers[i].neighbor->rank;
    int code = MPI_Dist_graph_create_adjacent(store->comm->mpi, store->producer_count, sources,
                                              state->counts + store->consumer_count, store->consumer_count, ranks,
                                              state->counts, MPI_INFO_NULL, 0, &state->graph);
    free(ranks);
    status = code == MPI_SUCCESS ? PEN_OK : pen_fail_mpi(code, "MPI_Dist_graph_create_adjacent");
    if (status == PEN_OK) MPI_Comm_set_errhandler(state->graph, MPI_ERRORS_RETURN);
    return pen_agree(store->comm, status);
}

static void close_state(pen_halo *halo)
{
    neighbor_state *state = (neighbor_state *)halo->state;
    if (state) {
        if (state->graph != MPI_COMM_NULL) MPI_Comm_free(&state->graph);
        free(state->counts);
        free(state->addresses);
        free(state->types);
    }
    free(state);
    halo->state = NULL;
    pen_two_sided_close(halo);
}

static pen_status open_state(pen_halo *halo)
{
    PEN_TRY(pen_two_sided_open(halo));
    pen_status status = pen_agree(halo->store->comm, prepare(halo));
    if (status == PEN_OK) status = connect(halo);
    if (status != PEN_OK) close_state(halo);
    return status;
}

static void begin(pen_halo *halo, uint64_t pull)
{
    const pen_store *store = halo->store;
    const neighbor_state *state = (const neighbor_state *)halo->state;
    int consumers = store->consumer_count, partners = consumers + store->producer_count;
    for (int f = 0; f < store->field_count; f++) {
        if (!(pull >> f & 1)) continue;
        pen_two_sided_pack(halo, f);
        for (int i = 0; i < partners; i++) {
            const void *records = i < consumers ? pen_two_sided_source(halo, f, store->plane[f] ^ 1, i)
                                                : pen_halo_next(halo, f, halo->producers[i - consumers].first);
            PEN_STEP_MPI(MPI_Get_address(records, &state->addresses[i]));
            state->types[i] = halo->two_sided->record[f];
        }
        PEN_STEP_MPI(MPI_Neighbor_alltoallw(MPI_BOTTOM, state->counts, state->addresses, state->types, MPI_BOTTOM,
                                            state->counts + consumers, state->addresses + consumers,
                                            state->types + consumers, state->graph));
        halo->syncs++;
    }
    pen_two_sided_count(halo, pull);
}

static void end(pen_halo *halo, uint64_t pull)
{
    (void)halo;
    (void)pull;
}

const pen_transport pen_transport_neighbor = {
    .name = "neighbor",
    .summary = "a neighbourhood collective",
    .open = open_state,
    .begin = begin,
    .end = end,
    .close = close_state,
};
