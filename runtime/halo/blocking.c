/* blocking.c - iC2mpi's prototype: compute everything, Isend, Recv. One message per neighbour and
 * field; what arrives is contiguous in the shadows and needs no unpacking. */
#include "halo.h"
#include "memory.h"

#include <stdlib.h>

typedef struct blocking_state {
    MPI_Datatype *record;       /* [field_count] so that a count is a number of nodes, which fits an int */
    unsigned char **packed;     /* [field_count] boundary records, consumer after consumer */
    MPI_Request *requests;      /* [consumer_count*field_count] */
} blocking_state;

static pen_status prepare(pen_halo *halo)
{
    const pen_store *store = halo->store;
    int64_t sent = 0;
    for (int i = 0; i < store->consumer_count; i++) sent += store->consumers[i].count;
    blocking_state *state;
    PEN_TRY(PEN_ALLOC_ZERO(&state, 1));
    halo->state = state;
    PEN_TRY(PEN_ALLOC(&state->requests, (int64_t)store->consumer_count * store->field_count));
    PEN_TRY(PEN_ALLOC_ZERO(&state->packed, store->field_count));
    PEN_TRY(PEN_ALLOC(&state->record, store->field_count));
    for (int f = 0; f < store->field_count; f++) state->record[f] = MPI_DATATYPE_NULL;
    for (int f = 0; f < store->field_count; f++) {
        int size = 0;
        PEN_TRY(pen_to_int((int64_t)store->sizes[f], "a field's size in bytes", &size));
        PEN_TRY(pen_alloc(&state->packed[f], sent, store->sizes[f]));
        PEN_MPI(MPI_Type_contiguous(size, MPI_BYTE, &state->record[f]));
        PEN_MPI(MPI_Type_commit(&state->record[f]));
    }
    return PEN_OK;
}

static void close_state(pen_halo *halo)
{
    blocking_state *state = (blocking_state *)halo->state;
    if (!state) return;
    for (int f = 0; f < halo->store->field_count; f++) {
        if (state->packed) free(state->packed[f]);
        if (state->record && state->record[f] != MPI_DATATYPE_NULL) MPI_Type_free(&state->record[f]);
    }
    free(state->packed);
    free(state->record);
    free(state->requests);
    free(state);
    halo->state = NULL;
}

static pen_status open_state(pen_halo *halo)
{
    pen_status status = pen_agree(halo->store->comm, prepare(halo));
    if (status != PEN_OK) close_state(halo);
    return status;
}

static void pack(const pen_halo *halo, int field)
{
    const pen_store *store = halo->store;
    size_t size = store->sizes[field];
    unsigned char *to = ((blocking_state *)halo->state)->packed[field];
    for (int i = 0; i < store->consumer_count; i++)
        for (pen_lid j = 0; j < store->consumers[i].count; j++, to += size)
            memcpy(to, pen_halo_next(halo, field, store->consumers[i].slots[j]), size);
}

static void begin(pen_halo *halo, uint64_t pull)
{
    blocking_state *state = (blocking_state *)halo->state;
    const pen_store *store = halo->store;
    int requests = 0;
    for (int f = 0; f < store->field_count; f++) {
        if (!(pull >> f & 1)) continue;
        uint64_t start = pen_ticks();
        pack(halo, f);
        halo->timers->ticks[PEN_TIME_COMMUNICATION_OVERHEAD] += pen_ticks() - start;
        unsigned char *from = state->packed[f];
        for (int i = 0; i < store->consumer_count; i++) {
            const pen_partner *consumer = &store->consumers[i];
            PEN_STEP_MPI(MPI_Isend(from, consumer->count, state->record[f], consumer->rank, f, store->comm->mpi,
                                   &state->requests[requests++]));
            from += (size_t)consumer->count * store->sizes[f];
        }
    }
    for (int f = 0; f < store->field_count; f++) {
        if (!(pull >> f & 1)) continue;
        for (int i = 0; i < store->producer_count; i++) {
            const pen_producer *producer = &halo->producers[i];
            PEN_STEP_MPI(MPI_Recv(pen_halo_next(halo, f, producer->first), producer->count, state->record[f],
                                  producer->neighbor->rank, f, store->comm->mpi, MPI_STATUS_IGNORE));
            halo->gets++;
            halo->syncs++;
            halo->bytes += (int64_t)producer->count * (int64_t)store->sizes[f];
        }
    }
    PEN_STEP_MPI(MPI_Waitall(requests, state->requests, MPI_STATUSES_IGNORE));
}

static void end(pen_halo *halo, uint64_t pull)
{
    (void)halo;
    (void)pull;
}

const pen_transport pen_transport_blocking = {
    .name = "blocking",
    .summary = "compute all, Isend, Recv (iC2mpi's prototype)",
    .open = open_state,
    .begin = begin,
    .end = end,
    .close = close_state,
};
