/* event.h - the one way in which a process waits for another process of its host: event counts in shared memory (Reed
 * and Kanodia, Synchronization with eventcounts and sequencers, CACM 22(2), 1979).
 *
 * A waiting process first polls for a moment and then sleeps until it is woken (a futex on Linux; elsewhere it yields
 * the processor). A process that polls and yields competes with all other programs of the host, and loses a slice of
 * time to each. A process that sleeps is scheduled as soon as it is woken. It polls longer where no rank shares its
 * core, and stops polling for a while when the kernel takes the processor away from it.
 *
 * A sleeping process wakes up from time to time to drive MPI's progress: a message that it has sent may need that.
 *
 * tests/model/event.pml models advancing and waiting: what changes here changes there. */
#pragma once

#include "base/marks.h"

#include <mpi.h>
#include <stdbool.h>

/* In zeroed shared memory, with a cache line of its own. */
typedef struct pen_event {
    _Alignas(64) _Atomic(uint32_t) count; /* modulo 2^32 */
    _Atomic(uint32_t) sleepers;           /* processes that sleep, or are about to */
} pen_event;

/* How a process waits. One per communicator. */
typedef struct pen_patience {
    MPI_Comm mpi;     /* what drives MPI's progress probes here */
    bool shared;      /* ranks may share a core: yield it to them */
    bool remote;      /* processes of other hosts may need this one's progress: sleep for short times only */
    int crowded;      /* waits that still begin without polling, since the kernel took the processor away */
    int looks;        /* calls of pen_patience_is_short since it was last looked at: */
    long preemptions; /* how often the kernel has done so */
} pen_patience;

/* Local. `shared`: ranks may share a core. */
pen_patience pen_patience_of(MPI_Comm mpi, bool shared, bool remote);

/* Local. Add `step` to the count, with release semantics. `wake`: wake processes that sleep on it; where several
 * processes add to one count, only the last one of a round needs to. Returns the new count. */
uint32_t pen_event_add(pen_event *event, uint32_t step, bool wake);

/* Local. Wake the processes that sleep on it. */
void pen_event_wake(pen_event *event);

/* Local. Whether a process had better sleep than poll: ranks share cores, or the kernel took the processor away lately.
 * A process that calls this often without waiting learns of the latter here. */
bool pen_patience_is_short(pen_patience *patience);

/* Local. Whether the count has reached `target`, or is up to 2^31 beyond it; with acquire semantics. */
static inline bool pen_event_reached(const pen_event *event, uint32_t target)
{
    return (int32_t)(atomic_load_explicit(&event->count, memory_order_acquire) - target) >= 0;
}

/* Local. Wait for that. `what` and `rank` (-1: several) tell the watchdog what a long wait is for. */
void pen_event_await(pen_event *event, uint32_t target, pen_patience *patience, const char *what, int rank);
