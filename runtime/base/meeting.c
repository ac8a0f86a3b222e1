/* meeting.c - carries out the rounds of a meeting in shared memory. */
#include "base/meeting.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct pen_meeting_room {
    pen_event arrived;         /* number of arrivals in all rounds so far; the last one of a round wakes no rank here */
    pen_event released;        /* number of finished rounds */
    pen_event gathered;        /* number of arrivals at places where MPI waits */
    _Atomic(uint32_t) asleep;  /* number of ranks that sleep now */
    int code;                  /* error code of MPI from the last reduction */
    _Atomic(uint32_t) said[2]; /* bits, by rounds in turn; all ranks have read a round's at the end of the next */
    _Alignas(64) unsigned char result[PEN_MEETING_BOX];
};

pen_status pen_meeting_create(MPI_Comm host, MPI_Comm mpi, bool shared, bool remote, pen_meeting **meeting)
{
    pen_meeting *m;
    int size = 0, failed = PEN_ALLOC_ZERO(&m, 1) != PEN_OK, any = 0;
    *meeting = NULL;
    PEN_MPI(MPI_Comm_size(host, &size));
    if (size > 1) PEN_MPI(MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, host));
    if (failed || any || size == 1) {
        free(m);
        return failed || any ? pen_fail(PEN_ERR_MEMORY, "out of memory for a communicator") : PEN_OK;
    }
    m->size = size;
    PEN_MPI(MPI_Comm_rank(host, &m->rank));
    const size_t bytes = sizeof *m->room + (size_t)size * sizeof *m->desks;
    pen_status status = pen_host_memory_create(host, bytes, &m->memory);
    if (status != PEN_OK || !m->memory.bytes) {
        free(m);
        return status;
    }
    m->room = (struct pen_meeting_room *)(void *)m->memory.bytes;
    m->desks = (pen_desk *)(void *)(m->room + 1);
    m->patience = (pen_patience){ .mpi = mpi, .shared = shared, .remote = remote, .ranks = size };
    pen_patience_begin(&m->patience, &m->room->asleep);
    *meeting = m;
    return PEN_OK;
}

void pen_meeting_destroy(pen_meeting **meeting)
{
    if (!*meeting) return;
    pen_host_memory_free(&(*meeting)->memory);
    free(*meeting);
    *meeting = NULL;
}

/* Whether this rank is the last one of its next round; it must release the others then. */
static bool arrive(pen_meeting *m)
{
    m->round++;
    return pen_event_add(&m->room->arrived, 1, false) == m->round * (uint32_t)m->size;
}

void pen_meeting_wait_and(pen_meeting *m, const char *what, pen_meeting_combine *combine, void *context)
{
    if (!arrive(m)) {
        pen_event_await(&m->room->released, m->round, &m->patience, what, -1);
        return;
    }
    if (combine) combine(m, m->room->result, context);
    atomic_store_explicit(&m->room->said[(m->round + 1) & 1], 0, memory_order_relaxed);
    (void)pen_event_add(&m->room->released, 1, true);
}

void pen_meeting_wait(pen_meeting *m, const char *what) { pen_meeting_wait_and(m, what, NULL, NULL); }

const unsigned char *pen_meeting_result(const pen_meeting *m) { return m->room->result; }

typedef struct reduction {
    size_t bytes;
    int count;
    MPI_Datatype type;
    MPI_Op op;
} reduction;

/* Compute result = box[0] op (box[1] op ... box[size - 1]). */
static void reduce(pen_meeting *m, unsigned char *result, void *context)
{
    const reduction *r = (const reduction *)context;
    int code = MPI_SUCCESS;
    memcpy(result, pen_meeting_box_of(m, m->size - 1), r->bytes);
    for (int rank = m->size - 2; rank >= 0 && code == MPI_SUCCESS; rank--)
        code = MPI_Reduce_local(pen_meeting_box_of(m, rank), result, r->count, r->type, r->op);
    m->room->code = code;
}

pen_status pen_meeting_reduce(pen_meeting *m, const void *in, void *out, size_t bytes, int count, MPI_Datatype type,
                              MPI_Op op)
{
    reduction r = { bytes, count, type, op };
    if (bytes > 0) memcpy(pen_meeting_box(m), in, bytes);
    pen_meeting_wait_and(m, "a reduction", reduce, &r);
    if (m->room->code != MPI_SUCCESS) return pen_fail_mpi(m->room->code, "MPI_Reduce_local");
    if (bytes > 0) memcpy(out, m->room->result, bytes);
    return PEN_OK;
}

void pen_meeting_say(pen_meeting *m, uint32_t bits)
{
    if (bits) atomic_fetch_or_explicit(&m->room->said[(m->round + 1) & 1], bits, memory_order_relaxed);
}

uint32_t pen_meeting_said(const pen_meeting *m)
{
    return atomic_load_explicit(&m->room->said[m->round & 1], memory_order_relaxed);
}

bool pen_meeting_point(pen_meeting *m, int rank, uint32_t at)
{
    pen_pointers *its = &m->desks[rank].pointers[(m->round + 1) & 1];
    const uint32_t i = atomic_fetch_add_explicit(&its->count, 1, memory_order_relaxed);
    if (i >= PEN_MEETING_POINTERS) return false;
    its->to[i].rank = m->rank;
    its->to[i].at = at;
    return true;
}

void pen_meeting_clear_pointers(pen_meeting *m)
{
    atomic_store_explicit(&m->desks[m->rank].pointers[m->round & 1].count, 0, memory_order_relaxed);
}

uint32_t pen_meeting_arrive(pen_meeting *m)
{
    m->gathered += (uint32_t)m->size;
    const uint32_t here = pen_event_add(&m->room->gathered, 1, false);
    if (here == m->gathered) pen_event_wake(&m->room->gathered);
    return m->gathered;
}

void pen_meeting_await(pen_meeting *m, uint32_t target, const char *what)
{
    if (pen_patience_is_crowded(&m->patience)) pen_event_await(&m->room->gathered, target, &m->patience, what, -1);
}

void pen_meeting_publish(pen_meeting *m)
{
    m->published++;
    (void)pen_event_add(&m->desks[m->rank].published, 1, true);
}

void pen_meeting_complete(pen_meeting *m)
{
    m->completed++;
    (void)pen_event_add(&m->desks[m->rank].completed, 1, true);
}
