/* meeting.h - collective operations of the ranks of one host in shared memory, without messages, and the counts by
 * which a rank tells others how far it is. A waiting rank polls or sleeps (event.h).
 *
 * A meeting has rounds. In each, every rank brings some bytes; the last one to arrive combines them and releases the
 * others. So the result does not depend on who comes last: the bytes of the ranks are combined in the order of ranks.
 *
 * Why this is safe: each rank has two boxes, which rounds use in turn. A rank fills a box again two rounds later. Then
 * all ranks have arrived in the round between, and have read what they wanted. There is one result: who writes it in
 * the next round comes after all have arrived there. */
#pragma once

#include "base/event.h"
#include "base/host_memory.h"

enum { PEN_MEETING_BOX = 16 * 1024 }; /* largest number of bytes that a rank can bring */

enum { PEN_MEETING_POINTERS = 64 }; /* places in boxes to which a rank is pointed in a round, at most; then another */

/* Places in boxes of other ranks, which pointed this rank to them. */
typedef struct pen_pointers {
    _Alignas(64) _Atomic(uint32_t) count; /* also of attempts that found no room */
    struct {
        int32_t rank;
        uint32_t at; /* byte of its box */
    } to[PEN_MEETING_POINTERS];
} pen_pointers;

/* The counts of a rank that other ranks read. */
typedef struct pen_desk {
    pen_event published; /* number of times that the rank has published boundary records (halo.h) */
    pen_event completed; /* number of times that it has completed its gets, for transports that ask */
    pen_pointers pointers[2];
    _Alignas(64) unsigned char boxes[2][PEN_MEETING_BOX];
} pen_desk;

typedef struct pen_meeting {
    pen_host_memory memory;
    struct pen_meeting_room *room; /* the counts and boxes in shared memory */
    pen_desk *desks;               /* [size] desks of the ranks in shared memory */
    int rank, size;
    uint32_t round;                /* number of rounds in which this rank has taken part */
    uint32_t published, completed; /* counts in the desk of this rank */
    uint32_t gathered;             /* the count of arrivals at the next place where MPI waits */
    pen_patience patience;
} pen_meeting;

/* Collective over `host`. *meeting becomes NULL for one rank, and where ranks cannot share memory. `shared`: ranks may
 * share a core; `remote`: there are other hosts. PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_meeting_create(MPI_Comm host, MPI_Comm mpi, bool shared, bool remote, pen_meeting **meeting);

/* Local, after the last use of this rank. Nulls *meeting; a null handle is legal. */
void pen_meeting_destroy(pen_meeting **meeting);

/* Collective. A round without bytes. */
void pen_meeting_wait(pen_meeting *meeting, const char *what);

/* Collective. A round in which one rank, the last to arrive, calls `combine`: it may read and change all boxes of the
 * round, and writes the result, which all ranks then have until their next round (pen_meeting_result). */
typedef void pen_meeting_combine(pen_meeting *meeting, unsigned char *result, void *context);
void pen_meeting_wait_and(pen_meeting *meeting, const char *what, pen_meeting_combine *combine, void *context);
const unsigned char *pen_meeting_result(const pen_meeting *meeting);

/* Collective. MPI_Allreduce of `bytes` <= PEN_MEETING_BOX, which `count` items of `type` have. `in` may be `out`.
 * Ranks are combined in their order, from the highest down. PEN_ERR_MPI: the operation failed, on all ranks. */
PEN_CHECKED pen_status pen_meeting_reduce(pen_meeting *meeting, const void *in, void *out, size_t bytes, int count,
                                          MPI_Datatype type, MPI_Op op);

/* For calls of MPI in which ranks wait for each other. A rank says that it has come there (Local); then,
 * on a crowded host, it waits until all have come (Collective, but a rank that does not find the host crowded goes on).
 * So MPI finds all ranks there. */
uint32_t pen_meeting_arrive(pen_meeting *meeting);
void pen_meeting_await(pen_meeting *meeting, uint32_t target, const char *what);

/* Local, before this rank arrives at its next round: say something, as bits, to all ranks; and point a rank to a byte
 * of this rank's box. Returns false if that rank is pointed to as many places as there can be. */
void pen_meeting_say(pen_meeting *meeting, uint32_t bits);
bool pen_meeting_point(pen_meeting *meeting, int rank, uint32_t at);

/* Local, after that round: the bits that some rank said; and, until this rank clears them, which it must do before its
 * next round, the places that it is pointed to, in any order. */
uint32_t pen_meeting_said(const pen_meeting *meeting);
static inline const pen_pointers *pen_meeting_pointers(const pen_meeting *meeting)
{
    return &meeting->desks[meeting->rank].pointers[meeting->round & 1];
}
static inline int pen_pointers_count(const pen_pointers *pointers)
{
    const uint32_t count = atomic_load_explicit(&pointers->count, memory_order_relaxed);
    return count < PEN_MEETING_POINTERS ? (int)count : PEN_MEETING_POINTERS;
}
void pen_meeting_clear_pointers(pen_meeting *meeting);

/* Local. Tell the others that this rank has published its boundary records again. */
void pen_meeting_publish(pen_meeting *meeting);
void pen_meeting_complete(pen_meeting *meeting); /* the same for completed gets */

/* Collective. Bring bytes; then, until this rank begins its next round but one, read those of the others. The caller
 * fills the box that pen_meeting_box returns before it calls pen_meeting_wait. */
static inline unsigned char *pen_meeting_box(pen_meeting *meeting)
{
    return meeting->desks[meeting->rank].boxes[(meeting->round + 1) & 1];
}
static inline unsigned char *pen_meeting_box_of(const pen_meeting *meeting, int rank)
{
    return meeting->desks[rank].boxes[meeting->round & 1];
}
