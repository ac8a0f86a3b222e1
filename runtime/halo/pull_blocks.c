/* pull_blocks.c - exchanges blocks in windows: their receivers get them, or read them in shared memory. */
#include "halo/pull_blocks.h"
#include "base/memory.h"
#include "halo/gets.h"
#include "halo/transports.h"

#include <stdlib.h>

/* What the receiver of a block is told. */
typedef struct head {
    int64_t at; /* displacement in the sender's window */
    int64_t bytes;
} head;

static const head *head_of(const pen_pull *pull, int i)
{
    return (const head *)(const void *)(pull->heads.data + pull->heads.offsets[i]);
}

/* ---- The window ------------------------------------------------------------------------------------ */

pen_status pen_pull_open(const pen_halo *halo, pen_pull *pull)
{
    pen_comm *comm = halo->store->comm;
    const pen_transport *transport = halo->transport;
    pen_window_kind kind = halo->store->window.kind;
    if (!transport->one_sided) {
        PEN_TRY(pen_environment_probe(comm, 0, false, &kind));
        transport = kind == PEN_WINDOW_SHARED ? &pen_transport_shared : &pen_transport_fence;
    } else if (transport->by_load && kind != PEN_WINDOW_SHARED) {
        transport = &pen_transport_passive; /* as between hosts */
    }
    pull->transport = kind == PEN_WINDOW_NONE ? NULL : transport;
    pull->kind = kind == PEN_WINDOW_HOSTS ? PEN_WINDOW_ALLOCATED : kind;
    pull->in_place = transport->by_load;
    return PEN_OK;
}

static void close_window(pen_pull *pull)
{
    if (!pull->opened) return;
    if (pull->transport->locks) PEN_STEP_MPI(MPI_Win_unlock_all(pull->window.mpi));
    pen_window_destroy(&pull->window);
    pull->opened = false;
}

/* Collective. */
static pen_status open_window(pen_comm *comm, pen_pull *pull, int64_t bytes)
{
    PEN_TRY(pen_window_create(comm, pull->kind, bytes, &pull->window));
    if (pull->transport->locks) PEN_STEP_MPI(MPI_Win_lock_all(0, pull->window.mpi));
    pull->opened = true;
    return PEN_OK;
}

pen_status pen_pull_reserve(pen_halo *halo, pen_pull *pull, pen_status mine, int64_t bytes, int64_t *most)
{
    enum { FITS, GROWS, FAILED };
    pen_comm *comm = halo->store->comm;
    const int64_t room = pull->opened ? pull->window.bytes : 0;
    int64_t said[] = { bytes > room ? GROWS : FITS, bytes };
    if (mine != PEN_OK) said[0] = FAILED;
    PEN_TRY(pen_all_reduce(comm, MPI_IN_PLACE, said, PEN_COUNT_OF(said), MPI_INT64_T, MPI_MAX));
    if (said[0] == FAILED) return pen_agree(comm, mine);
    *most = said[1];
    if (said[0] == FITS || !pull->transport) return PEN_OK;
    close_window(pull);
    if (open_window(comm, pull, bytes > room ? bytes + bytes / 2 : room) != PEN_OK) pull->transport = NULL;
    return PEN_OK;
}

void pen_pull_close(pen_pull *pull)
{
    close_window(pull);
    pen_blocks_free(&pull->heads);
    PEN_FREE_ALL(pull->at, pull->memory);
    *pull = (pen_pull){ .transport = NULL };
}

/* ---- Pulling --------------------------------------------------------------------------------------- */

static pen_status tell(const pen_pull *pull, const pen_blocks *send, pen_blocks *heads)
{
    PEN_TRY(PEN_ALLOC(&heads->offsets, (int64_t)send->count + 1));
    PEN_TRY(pen_alloc(&heads->data, send->count, sizeof(head)));
    PEN_TRY(PEN_ALLOC(&heads->ranks, send->count));
    for (int i = 0; i < send->count; i++) {
        const int64_t in_window = send->data - pull->window.base + send->offsets[i];
        const head mine = { pull->window.shift + in_window, send->offsets[i + 1] - send->offsets[i] };
        memcpy(heads->data + (size_t)i * sizeof mine, &mine, sizeof mine);
        heads->ranks[i] = send->ranks[i];
        heads->offsets[i] = i * (int64_t)sizeof mine;
    }
    heads->count = send->count;
    heads->offsets[heads->count] = heads->count * (int64_t)sizeof(head);
    return PEN_OK;
}

static pen_status make_room(pen_pull *pull)
{
    int64_t bytes = 0;
    for (int i = 0; i < pull->heads.count; i++) bytes += head_of(pull, i)->bytes;
    PEN_TRY(pen_reserve(&pull->at, sizeof *pull->at, pull->heads.count, &pull->at_room));
    return pull->in_place ? PEN_OK : pen_reserve(&pull->memory, 1, bytes, &pull->memory_room);
}

static pen_status fetch(pen_pull *pull)
{
    int64_t at = 0;
    for (int i = 0; i < pull->heads.count; i++) {
        const head *block = head_of(pull, i);
        const int rank = pull->heads.ranks[i];
        unsigned char *there = pull->memory + at;
        if (pull->in_place) PEN_TRY(pen_window_direct(&pull->window, rank, block->at, &there));
        else pen_get(rank, pull->window.mpi, block->at, there, block->bytes);
        pull->at[i] = there;
        at += block->bytes;
    }
    return PEN_OK;
}

pen_status pen_pull_blocks(pen_halo *halo, pen_pull *pull, pen_status mine, const pen_blocks *send)
{
    const pen_transport *transport = pull->transport;
    MPI_Win window = pull->window.mpi;
    pen_blocks heads = { 0 };
    if (mine == PEN_OK) mine = tell(pull, send, &heads);
    if (transport->far_order) transport->far_order(halo, window);
    const pen_status status = pen_sparse_exchange_into(halo->store->comm, mine, &heads, &pull->heads,
                                                       &pull->heads_room);
    if (transport->far_order) transport->far_order(halo, window);
    pen_blocks_free(&heads);
    PEN_TRY(status);
    mine = make_room(pull);
    if (transport->far_begin) transport->far_begin(halo, window);
    if (mine == PEN_OK) mine = fetch(pull);
    if (!pull->in_place) transport->far_end(halo, window);
    return mine;
}
