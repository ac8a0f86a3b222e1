/* event.c - polling, sleeping and waking; see event.h. */
#define _GNU_SOURCE /* syscall, RUSAGE_THREAD */
#include "base/event.h"

#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

enum {
    POLLS_CROWDED = 100, /* some microseconds: about what sleeping and waking cost */
    MOST_YIELDS = 50,
    LONG_YIELD = 300000,   /* nanoseconds: somebody else used up a slice of time */
    POLLS_ALONE = 20000,   /* about a millisecond: longer than ranks with equal work wait for each other */
    POLLS_PER_LOOK = 1000, /* between two looks at what the kernel does */
    CALLS_PER_LOOK = 16,
    CROWDED_WAITS = 256,  /* so many waits begin without much polling after the kernel has taken the processor away */
    FIRST_SLEEP = 200000, /* nanoseconds until MPI's progress is driven; doubled each time */
    LAST_SLEEP = 12800000,
    REMOTE_SLEEP = 50000
};

pen_patience pen_patience_of(MPI_Comm mpi, bool shared, bool remote)
{
    return (pen_patience){ .mpi = mpi, .shared = shared, .remote = remote };
}

#if defined(__linux__)
/* Sleep while the count is `seen`, at most so long. */
static void sleep_on(pen_event *event, uint32_t seen, long nanoseconds)
{
    const struct timespec time = { .tv_nsec = nanoseconds };
    (void)syscall(SYS_futex, &event->count, FUTEX_WAIT, seen, &time, NULL, 0);
}

void pen_event_wake(pen_event *event)
{
    if (atomic_load(&event->sleepers) == 0) return;
    (void)syscall(SYS_futex, &event->count, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/* Whether another process got this thread's core since the last look. */
static bool was_preempted(pen_patience *patience)
{
    struct rusage usage;
    if (getrusage(RUSAGE_THREAD, &usage) != 0 || usage.ru_nivcsw == patience->preemptions) return false;
    patience->preemptions = usage.ru_nivcsw;
    return true;
}
#else
static void sleep_on(pen_event *event, uint32_t seen, long nanoseconds)
{
    (void)event, (void)seen, (void)nanoseconds;
    sched_yield();
}
void pen_event_wake(pen_event *event) { (void)event; }
static bool was_preempted(pen_patience *patience) { return (void)patience, false; }
#endif

static inline void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

uint32_t pen_event_add(pen_event *event, uint32_t step, bool wake)
{
    /* Sequentially consistent, like its counterpart in `rest`: either this process sees the sleeper, or the sleeper
     * sees the new count. */
    const uint32_t count = atomic_fetch_add(&event->count, step) + step;
    if (wake) pen_event_wake(event);
    return count;
}

bool pen_patience_is_short(pen_patience *patience)
{
    if (patience->shared) return true;
    if (patience->crowded > 0) {
        patience->crowded--;
        return true;
    }
    if (++patience->looks < CALLS_PER_LOOK) return false;
    patience->looks = 0;
    if (was_preempted(patience)) patience->crowded = CROWDED_WAITS;
    return patience->crowded > 0;
}

static int64_t nanoseconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Give the processor to ranks that share it, as long as they give it back soon. */
static bool poll_and_yield(const pen_event *event, uint32_t target, pen_patience *patience)
{
    for (int yields = 0; yields < MOST_YIELDS; yields++) {
        if (pen_event_reached(event, target)) return true;
        const int64_t before = nanoseconds_now();
        sched_yield();
        if (nanoseconds_now() - before < LONG_YIELD) continue;
        patience->crowded = CROWDED_WAITS;
        break;
    }
    return pen_event_reached(event, target);
}

/* Poll, and say whether that was enough. */
static bool poll(const pen_event *event, uint32_t target, pen_patience *patience)
{
    if (patience->shared && patience->crowded == 0) return poll_and_yield(event, target, patience);
    const int most = patience->crowded > 0 ? POLLS_CROWDED : POLLS_ALONE;
    for (int polls = 0; polls < most; polls++) {
        if (pen_event_reached(event, target)) return true;
        if (polls % POLLS_PER_LOOK == POLLS_PER_LOOK - 1 && was_preempted(patience)) {
            patience->crowded = CROWDED_WAITS;
            return false;
        }
        pause_briefly();
    }
    return pen_event_reached(event, target);
}

static void drive_progress(const pen_patience *patience)
{
    int found;
    if (patience->mpi != MPI_COMM_NULL)
        (void)MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, patience->mpi, &found, MPI_STATUS_IGNORE);
}

static void rest(pen_event *event, uint32_t target, const pen_patience *patience)
{
    long time = patience->remote ? REMOTE_SLEEP : FIRST_SLEEP;
    atomic_fetch_add(&event->sleepers, 1);
    for (;;) {
        const uint32_t seen = atomic_load(&event->count);
        if ((int32_t)(seen - target) >= 0) break;
        sleep_on(event, seen, time);
        if (pen_event_reached(event, target)) break;
        drive_progress(patience);
        if (!patience->remote && time < LAST_SLEEP) time *= 2;
    }
    atomic_fetch_sub(&event->sleepers, 1);
}

void pen_event_await(pen_event *event, uint32_t target, pen_patience *patience, const char *what, int rank)
{
    if (poll(event, target, patience)) {
        if (patience->crowded > 0) patience->crowded--;
        return;
    }
    pen_mark_wait_for(what, rank);
    rest(event, target, patience);
    pen_mark_over_for();
    if (patience->crowded > 0) patience->crowded--;
}
