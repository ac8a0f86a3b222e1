/* event.h - the one way in which a process waits for another process of its host: event counts in shared memory (Reed
 * and Kanodia, Synchronization with eventcounts and sequencers, CACM 22(2), 1979).
 *
 * A waiting process polls, and yields the processor to ranks that share its core. On an idle machine that is the
 * fastest way. Next to other programs it is the slowest: each yield gives them a slice of time. So a waiting process
 * looks now and then whether the host is crowded: this thread has waited for a core, and more threads want to run than
 * ranks are awake. Then it sleeps at once until it is woken (a futex on Linux), since the kernel schedules a process
 * that has slept before those that compute without end. It also sleeps after a long wait.
 *
 * A sleeping process wakes up from time to time to drive MPI's progress: a message that it has sent may need that.
 *
 * tests/protocol/event.pml models advancing and waiting: what changes here changes there. */
#pragma once

#include "base/marks.h"

#include <mpi.h>
#include <stdbool.h>

/* An event count, in zeroed shared memory, with a cache line of its own. */
typedef struct pen_event {
    _Alignas(64) _Atomic(uint32_t) count; /* the count modulo 2^32 */
    _Atomic(uint32_t) sleepers;           /* number of processes that sleep, or are about to */
} pen_event;

/* How a process waits. One per communicator. */
typedef struct pen_patience {
    MPI_Comm mpi;              /* communicator whose probes drive MPI's progress */
    bool shared;               /* ranks may share a core: yield it to them at once */
    bool remote;               /* ranks of other hosts may need this one's progress: sleep for short times only */
    int ranks;                 /* number of ranks of this host */
    _Atomic(uint32_t) *asleep; /* number of ranks of this host that sleep now, in their shared memory */
    bool crowded;              /* other programs also use the cores */
    int doubts;                /* number of looks in a row that saw the contrary */
    int64_t looked;            /* time of the last look in nanoseconds */
    double queued;             /* seconds that this thread had waited for a core by that time */
} pen_patience;

/* Local. `asleep` is in zeroed shared memory. The other members that are constant have been set. */
void pen_patience_begin(pen_patience *patience, _Atomic(uint32_t) *asleep);

/* Local. Add `step` to the count, with release semantics. `wake`: wake processes that sleep on it; where several
 * processes add to one count, only the last one of a round needs to. Returns the new count. */
uint32_t pen_event_add(pen_event *event, uint32_t step, bool wake);

/* Local. Wake the processes that sleep on the count. */
void pen_event_wake(pen_event *event);

/* Local. Whether the host is crowded. It is looked at again if the last look is some milliseconds ago. */
bool pen_patience_is_crowded(pen_patience *patience);

/* Local. Whether the count has reached `target`, or is up to 2^31 beyond it; with acquire semantics. */
static inline bool pen_event_reached(const pen_event *event, uint32_t target)
{
    return (int32_t)(atomic_load_explicit(&event->count, memory_order_acquire) - target) >= 0;
}

/* Local. Wait until the count has reached `target`. `what` and `rank` (-1: several) tell the watchdog the reason of a
 * long wait. */
void pen_event_await(pen_event *event, uint32_t target, pen_patience *patience, const char *what, int rank);
