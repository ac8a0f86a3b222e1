/* far.c - gathers the far requests of nodes, reads the records, and shows them to the phase. */
#include "run/far.h"
#include "base/memory.h"
#include "run/reach.h"

#include <stdlib.h>

void pen_request(pen_requests *requests, pen_gid gid)
{
    if (requests->count == requests->room && requests->status == PEN_OK) {
        int64_t room = requests->room ? 2 * requests->room : 256;
        requests->status = PEN_REALLOC(&requests->gids, room);
        if (requests->status == PEN_OK) requests->room = room;
    }
    if (requests->status == PEN_OK) requests->gids[requests->count++] = gid;
}

static pen_status make_state(pen_run *run)
{
    pen_lid owned = run->store->owned;
    if (!run->far) PEN_TRY(PEN_ALLOC_ZERO(&run->far, 1));
    struct pen_far_state *state = run->far;
    if (state->restless && state->owned >= owned) return PEN_OK;
    PEN_FREE_ALL(state->first, state->restless);
    state->first = NULL;
    state->restless = NULL;
    PEN_TRY(PEN_ALLOC(&state->first, (int64_t)owned + 1));
    PEN_TRY(PEN_ALLOC(&state->restless, owned));
    state->owned = owned;
    return PEN_OK;
}

/* Collect the requests of all nodes. Those of a node that asks for the step, random numbers, observables or globals can
 * differ in the next step, though no record changes: the run is not quiet. */
static pen_status gather(pen_run *run, const pen_phase *phase, pen_far_request_fn *request)
{
    PEN_INSIDE(phase->name);
    struct pen_far_state *state = run->far;
    pen_lid owned = run->store->owned;
    state->requests.count = 0;
    state->requests.status = PEN_OK;
    uint64_t start = pen_ticks();
    pen_run_view(run, 0, 0);
    memset(state->restless, 0, (size_t)owned * sizeof *state->restless);
    run->view.library.restless = state->restless;
    for (pen_lid slot = 0; slot < owned; slot++) {
        run->view.slot = slot;
        state->first[slot] = state->requests.count;
        if (request) request(run, slot, &state->requests);
        else phase->far(&run->view, &state->requests);
    }
    state->first[owned] = state->requests.count;
    run->view.library.restless = NULL;
    run->pending = run->pending || memchr(state->restless, true, (size_t)owned * sizeof *state->restless);
    run->timers.ticks[PEN_TIME_COMPUTE] += pen_ticks() - start;
    return state->requests.status;
}

/* Find the places of the requested nodes. Own nodes, and shadows if they are current, are read in place. */
static pen_status match(pen_run *run, bool shadows)
{
    struct pen_far_state *state = run->far;
    const pen_store *store = run->store;
    pen_lid known = store->owned + store->shadows;
    if (state->requests.count > state->slots_room) {
        PEN_TRY(PEN_REALLOC(&state->slots, state->requests.room));
        state->slots_room = state->requests.room;
    }
    for (int64_t i = 0; i < state->requests.count; i++) {
        pen_gid gid = state->requests.gids[i];
        state->slots[i] = -1;
        if (gid < 0) continue;
        const uint64_t *slot = pen_pages_find(store->slot_of, gid);
        if (slot && (shadows || *slot < (uint64_t)store->owned)) {
            state->slots[i] = (pen_lid)*slot;
        } else {
            pen_lid place;
            PEN_TRY(pen_reach_want(run->reach, gid, &place));
            PEN_TRY(pen_to_lid((int64_t)known + place, "nodes, shadows and far nodes", &state->slots[i]));
        }
    }
    return PEN_OK;
}

static pen_status prepare(pen_run *run, const pen_phase *phase, uint64_t shadows, pen_far_request_fn *request)
{
    PEN_TRY(make_state(run));
    PEN_TRY(pen_reach_create(run->store->field_count, &run->reach));
    PEN_TRY(gather(run, phase, request));
    pen_reach_begin(run->reach);
    return match(run, (phase->far_reads.bits & ~shadows) == 0);
}

/* Drop the requests for nodes that do not exist. */
static void drop_unknown(pen_run *run)
{
    struct pen_far_state *state = run->far;
    const pen_reach *reach = run->reach;
    pen_lid known = state->far.known;
    if (reach->wanted_count == 0) return;
    for (int64_t i = 0; i < state->requests.count; i++)
        if (state->slots[i] >= known && !pen_reach_found(reach, state->slots[i] - known)) state->slots[i] = -1;
}

pen_status pen_far_read(pen_run *run, const pen_phase *phase, uint64_t shadows, pen_far_request_fn *request)
{
    uint64_t *spent = run->timers.ticks, computed = spent[PEN_TIME_COMPUTE], start = pen_ticks();
    pen_status status = prepare(run, phase, shadows, request);
    uint64_t prepared = pen_ticks();
    spent[PEN_TIME_COMMUNICATION_OVERHEAD] += prepared - start - (spent[PEN_TIME_COMPUTE] - computed);
    PEN_TRY(pen_reach_read(run->halo, run->reach, status, pen_run_carried(run, phase->far_reads.bits)));
    spent[PEN_TIME_COMMUNICATE] += pen_ticks() - prepared;
    struct pen_far_state *state = run->far;
    state->far = (pen_far){ state->first, state->requests.gids, state->slots, run->store->owned + run->store->shadows,
                            (const void *const *)run->reach->records };
    drop_unknown(run);
    run->view.library.far = &state->far;
    return PEN_OK;
}

void pen_far_destroy(struct pen_far_state **state)
{
    if (!*state) return;
    PEN_FREE_ALL((*state)->requests.gids, (*state)->first, (*state)->restless, (*state)->slots, *state);
    *state = NULL;
}
