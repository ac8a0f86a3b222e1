/* two_sided.c - sends and receives the messages of the two-sided transports. */
#include "halo/two_sided.h"
#include "base/memory.h"
#include "halo/arrivals.h"

#include <stdlib.h>

static pen_status prepare(pen_halo *halo)
{
    const pen_store *store = halo->store;
    int fields = store->field_count, consumers = store->consumer_count;
    pen_two_sided *state;
    PEN_TRY(PEN_ALLOC_ZERO(&state, 1));
    halo->two_sided = state;
    PEN_TRY(PEN_ALLOC(&state->requests, (int64_t)fields * (consumers + store->producer_count)));
    PEN_TRY(PEN_ALLOC(&state->first, consumers));
    PEN_TRY(PEN_ALLOC(&state->contiguous, consumers));
    int64_t packed = 0;
    for (int i = 0; i < consumers; i++) {
        const pen_partner *consumer = &store->consumers[i];
        state->first[i] = packed;
        state->contiguous[i] = consumer->slots[consumer->count - 1] - consumer->slots[0] == consumer->count - 1;
        if (!state->contiguous[i]) packed += consumer->count;
    }
    halo->message_slots = packed;
    PEN_TRY(PEN_ALLOC_ZERO(&state->packed, fields));
    PEN_TRY(PEN_ALLOC(&state->record, fields));
    for (int f = 0; f < fields; f++) state->record[f] = MPI_DATATYPE_NULL;
    for (int f = 0; f < fields; f++) {
        int size = 0;
        PEN_TRY(pen_to_int((int64_t)store->sizes[f], "a field's size in bytes", &size));
        PEN_TRY(pen_alloc(&state->packed[f], packed, store->sizes[f]));
        PEN_MPI(MPI_Type_contiguous(size, MPI_BYTE, &state->record[f]));
        PEN_MPI(MPI_Type_commit(&state->record[f]));
    }
    return PEN_OK;
}

pen_status pen_two_sided_open(pen_halo *halo)
{
    pen_status status = pen_agree(halo->store->comm, prepare(halo));
    if (status != PEN_OK) pen_two_sided_close(halo);
    return status;
}

void pen_two_sided_close(pen_halo *halo)
{
    pen_two_sided *state = halo->two_sided;
    if (!state) return;
    for (int f = 0; f < halo->store->field_count; f++) {
        if (state->packed) free(state->packed[f]);
        if (state->record && state->record[f] != MPI_DATATYPE_NULL) MPI_Type_free(&state->record[f]);
    }
    PEN_FREE_ALL(state->packed, state->record, state->first, state->contiguous, state->requests, state);
    halo->two_sided = NULL;
}

void pen_two_sided_pack(pen_halo *halo, int field)
{
    uint64_t start = pen_ticks();
    const pen_store *store = halo->store;
    const pen_two_sided *state = halo->two_sided;
    size_t size = store->sizes[field];
    const unsigned char *plane = pen_halo_next(halo, field, 0);
    unsigned char *to = state->packed[field];
    for (int i = 0; i < store->consumer_count; i++) {
        const pen_partner *consumer = &store->consumers[i];
        if (state->contiguous[i]) continue;
        for (pen_lid j = 0; j < consumer->count; j++, to += size)
            memcpy(to, plane + (size_t)consumer->slots[j] * size, size);
    }
    halo->timers->ticks[PEN_TIME_COMMUNICATION_OVERHEAD] += pen_ticks() - start;
}

const unsigned char *pen_two_sided_source(const pen_halo *halo, int field, int plane, int consumer)
{
    const pen_store *store = halo->store;
    const pen_two_sided *state = halo->two_sided;
    size_t size = store->sizes[field];
    if (!state->contiguous[consumer]) return state->packed[field] + (size_t)state->first[consumer] * size;
    return pen_window_payload(&store->window) + store->offsets[2 * field + plane] +
           (size_t)store->consumers[consumer].slots[0] * size;
}

void pen_two_sided_send(pen_halo *halo, uint64_t pull)
{
    const pen_store *store = halo->store;
    pen_two_sided *state = halo->two_sided;
    for (int f = 0; f < store->field_count; f++) {
        if (!(pull >> f & 1)) continue;
        pen_two_sided_pack(halo, f);
        for (int i = 0; i < store->consumer_count; i++)
            PEN_STEP_MPI(MPI_Isend(pen_two_sided_source(halo, f, store->plane[f] ^ 1, i), store->consumers[i].count,
                                   state->record[f], store->consumers[i].rank, f, store->comm->mpi,
                                   &state->requests[state->request_count++]));
    }
}

void pen_two_sided_receive(pen_halo *halo, uint64_t pull)
{
    const pen_store *store = halo->store;
    pen_two_sided *state = halo->two_sided;
    for (int f = 0; f < store->field_count; f++) {
        if (!(pull >> f & 1)) continue;
        for (int i = 0; i < store->producer_count; i++) {
            const pen_producer *producer = &halo->producers[i];
            PEN_STEP_MPI(MPI_Irecv(pen_halo_next(halo, f, producer->first), producer->count, state->record[f],
                                   producer->neighbor->rank, f, store->comm->mpi,
                                   &state->requests[state->request_count++]));
        }
    }
    state->receives = state->request_count;
}

void pen_two_sided_wait(pen_halo *halo)
{
    pen_two_sided *state = halo->two_sided;
    const bool crowded = pen_arrivals_await_if_crowded(halo);
    if (crowded && state->receives > 0)
        PEN_STEP_MPI(MPI_Waitall(state->receives, state->requests, MPI_STATUSES_IGNORE));
    pen_arrivals_tell_completed(halo);
    if (crowded) pen_arrivals_await_completed(halo);
    state->receives = 0;
    if (state->request_count == 0) return;
    PEN_STEP_MPI(MPI_Waitall(state->request_count, state->requests, MPI_STATUSES_IGNORE));
    state->request_count = 0;
    halo->syncs++;
}

void pen_two_sided_count(pen_halo *halo, uint64_t pull)
{
    const pen_store *store = halo->store;
    for (int f = 0; f < store->field_count; f++) {
        if (!(pull >> f & 1)) continue;
        halo->gets += store->producer_count;
        halo->bytes += (int64_t)store->shadows * (int64_t)store->sizes[f];
    }
}
