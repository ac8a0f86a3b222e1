/* shared.c - on one host: each rank counts its publications in a word that its neighbours watch, and
 * a pull is a copy straight from the neighbour's plane. */
#include "halo.h"
#include "memory.h"

#include <sched.h>
#include <stdlib.h>

typedef struct shared_state {
    uint64_t published;
    pen_window_header *mine;
    pen_window_header **neighbors; /* [neighbor_count] */
    int spins;                     /* polls before the processor is given away */
} shared_state;

static pen_status connect(pen_halo *halo)
{
    shared_state *state;
    PEN_TRY(PEN_ALLOC_ZERO(&state, 1));
    halo->state = state;
    PEN_TRY(PEN_ALLOC(&state->neighbors, halo->neighbor_count));
    for (int i = 0; i < halo->neighbor_count; i++)
        state->neighbors[i] = pen_window_header_of(halo->neighbors[i].direct);
    state->mine = pen_window_header_of(pen_window_payload(&halo->store->window));
    state->spins = halo->store->comm->crowded ? 0 : 64;
    return PEN_OK;
}

static void close_state(pen_halo *halo)
{
    shared_state *state = (shared_state *)halo->state;
    if (state) free(state->neighbors);
    free(state);
    halo->state = NULL;
}

static pen_status open_state(pen_halo *halo)
{
    pen_status status = pen_agree(halo->store->comm, connect(halo));
    if (status != PEN_OK) close_state(halo);
    return status;
}

static inline void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static void wait_for(const shared_state *state, const pen_window_header *neighbor)
{
    int polls = 0;
    while (atomic_load_explicit(&neighbor->ready, memory_order_acquire) < state->published) {
        if (polls++ < state->spins)
            pause_briefly();
        else
            sched_yield();
    }
}

static void begin(pen_halo *halo, uint64_t pull)
{
    shared_state *state = (shared_state *)halo->state;
    const pen_store *store = halo->store;
    atomic_store_explicit(&state->mine->ready, ++state->published, memory_order_release);
    for (int i = 0; i < halo->neighbor_count; i++) wait_for(state, state->neighbors[i]);
    halo->syncs++;
    for (int i = 0; i < store->producer_count; i++) {
        const pen_producer *producer = &halo->producers[i];
        for (int f = 0; f < store->field_count; f++) {
            if (!(pull >> f & 1)) continue;
            for (int r = 0; r < producer->run_count; r++) {
                const pen_pull_run *run = &producer->runs[r];
                size_t bytes = (size_t)run->count * store->sizes[f];
                memcpy(pen_halo_next(halo, f, run->to),
                       producer->neighbor->direct + pen_halo_next_offset(halo, producer, f, run->from), bytes);
                halo->bytes += (int64_t)bytes;
            }
            halo->gets += producer->run_count;
        }
    }
}

static void end(pen_halo *halo, uint64_t pull)
{
    (void)halo;
    (void)pull;
}

const pen_transport pen_transport_shared = {
    .name = "shared",
    .summary = "on one host: flags in shared memory, copies from the neighbour's plane",
    .one_sided = true,
    .shared = true,
    .overlaps = true,
    .open = open_state,
    .begin = begin,
    .end = end,
    .close = close_state,
};
