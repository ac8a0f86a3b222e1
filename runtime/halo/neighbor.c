/* neighbor.c - a neighbourhood collective per field, on a distributed graph communicator of the neighbours. Open MPI 4
 * runs it as a loop of sends and receives.
 *
 * The graph is symmetric: a rank that only produces for another rank, or only consumes from it, sends nothing in the
 * other direction. With unequal degrees MPICH 4.0 confuses the two and sends garbage (pmodels/mpich issue 6233), and
 * Open MPI 5 fails with a degree of 0 (open-mpi/ompi issue 14452). */
#include "base/memory.h"
#include "halo/arrivals.h"
#include "halo/transports.h"
#include "halo/two_sided.h"

#include <stdlib.h>

typedef struct neighbor_state {
    MPI_Comm graph;
    int *counts;         /* [2*neighbors] numbers of nodes sent to neighbours, then received from them */
    MPI_Aint *addresses; /* [2*neighbors] addresses of the records of one field, set again for each field */
    MPI_Datatype *types; /* [neighbors] types of the records of one field, set again for each field */
} neighbor_state;

static pen_status prepare(pen_halo *halo)
{
    const pen_store *store = halo->store;
    int neighbors = halo->neighbor_count;
    neighbor_state *state = (neighbor_state *)halo->state;
    state->graph = MPI_COMM_NULL;
    PEN_TRY(PEN_ALLOC_ZERO(&state->counts, 2 * (int64_t)neighbors));
    PEN_TRY(PEN_ALLOC_ZERO(&state->addresses, 2 * (int64_t)neighbors));
    PEN_TRY(PEN_ALLOC(&state->types, neighbors));
    for (int i = 0, n = 0; i < store->consumer_count; i++) {
        while (halo->neighbors[n].rank != store->consumers[i].rank) n++;
        state->counts[n] = store->consumers[i].count;
    }
    for (int i = 0; i < store->producer_count; i++)
        state->counts[neighbors + (halo->producers[i].neighbor - halo->neighbors)] = halo->producers[i].count;
    return PEN_OK;
}

/* Collective. */
static pen_status connect(pen_halo *halo)
{
    pen_comm *comm = halo->store->comm;
    neighbor_state *state = (neighbor_state *)halo->state;
    int *ranks = NULL, degree = halo->neighbor_count;
    pen_status status = pen_agree(comm, PEN_ALLOC(&ranks, degree));
    if (status != PEN_OK) {
        free(ranks);
        return status;
    }
    for (int i = 0; i < degree; i++) ranks[i] = halo->neighbors[i].rank;
    int code = MPI_Dist_graph_create_adjacent(comm->mpi, degree, ranks, state->counts + degree, degree, ranks,
                                              state->counts, MPI_INFO_NULL, 0, &state->graph);
    free(ranks);
    status = code == MPI_SUCCESS ? PEN_OK : pen_fail_mpi(code, "MPI_Dist_graph_create_adjacent");
    if (status == PEN_OK) MPI_Comm_set_errhandler(state->graph, MPI_ERRORS_RETURN);
    status = pen_agree(comm, status);
    if (status != PEN_OK) state->graph = MPI_COMM_NULL; /* freeing is collective, and some ranks may have none */
    return status;
}

static void close_state(pen_halo *halo)
{
    neighbor_state *state = (neighbor_state *)halo->state;
    if (state->graph != MPI_COMM_NULL) MPI_Comm_free(&state->graph);
    PEN_FREE_ALL(state->counts, state->addresses, state->types);
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
    int neighbors = halo->neighbor_count;
    pen_arrivals_tell(halo);
    pen_arrivals_await_if_crowded(halo);
    for (int f = 0; f < store->field_count; f++) {
        if (!(pull >> f & 1)) continue;
        pen_two_sided_pack(halo, f);
        for (int i = 0, c = 0, p = 0; i < neighbors; i++) {
            state->types[i] = halo->two_sided->record[f];
            if (state->counts[i] > 0)
                PEN_STEP_MPI(
                    MPI_Get_address(pen_two_sided_source(halo, f, store->plane[f] ^ 1, c++), &state->addresses[i]));
            if (state->counts[neighbors + i] > 0)
                PEN_STEP_MPI(MPI_Get_address(pen_halo_next(halo, f, halo->producers[p++].first),
                                             &state->addresses[neighbors + i]));
        }
        PEN_STEP_MPI(MPI_Neighbor_alltoallw(MPI_BOTTOM, state->counts, state->addresses, state->types, MPI_BOTTOM,
                                            state->counts + neighbors, state->addresses + neighbors, state->types,
                                            state->graph));
        halo->syncs++;
    }
    pen_two_sided_count(halo, pull);
}

static void end(pen_halo *halo, uint64_t pull) {}

const pen_transport pen_transport_neighbor = {
    .name = "neighbor",
    .summary = "a neighbourhood collective",
    .state_size = sizeof(neighbor_state),
    .open = open_state,
    .begin = begin,
    .end = end,
    .close = close_state,
};
