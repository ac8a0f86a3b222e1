/* event.c - polling, sleeping and waking; see event.h. */
#define _GNU_SOURCE /* for syscall */
#include "base/event.h"
#include "base/queued.h"

#include <sched.h>
#include <stdint.h>
#include <time.h>

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

/* Times are nanoseconds. */
enum {
    POLLS_CROWDED = 100,  /* polls before a process sleeps on a crowded host: some microseconds, the cost of sleeping */
    POLLS_ALONE = 64,     /* polls before it yields for the first time if no rank shares its core */
    POLLS_PER_PROBE = 32, /* yields between two probes that drive MPI's progress */
    LOOK_AGAIN = 4000000, /* time between two looks, which take 10 us */
    CROWDED_LOOKS = 2,    /* looks in a row that see other threads, after which a host is crowded */
    CALM_LOOKS = 32,      /* looks in a row that see none, after which it no longer is */
    LONG_WAIT = 10000000, /* wait after which a process sleeps in any case: waking takes about 50 us */
    FIRST_SLEEP = 1600000, /* first sleep until MPI's progress is driven, which yields; the next ones double */
    LAST_SLEEP = 12800000,
    REMOTE_SLEEP = 50000
};

#if defined(__linux__)
/* Sleep while the count is `seen`, up to a limit. */
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
#else
static void sleep_on(pen_event *event, uint32_t seen, long nanoseconds) { sched_yield(); }
void pen_event_wake(pen_event *event) {}
#endif

static inline void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static int64_t nanoseconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

uint32_t pen_event_add(pen_event *event, uint32_t step, bool wake)
{
    /* Sequentially consistent, like its counterpart in `rest`: either this process sees the sleeper, or the sleeper
     * sees the new count. */
    const uint32_t count = atomic_fetch_add(&event->count, step) + step;
    if (wake) pen_event_wake(event);
    return count;
}

void pen_patience_begin(pen_patience *patience, _Atomic(uint32_t) *asleep)
{
    patience->asleep = asleep;
    patience->looked = nanoseconds_now();
    patience->queued = pen_queued_now();
}

/* A host becomes crowded when this thread waits for a core a quarter of the time, and other threads than awake ranks
 * want one. It stays so as long as more threads want one than there are ranks: a rank that has been woken counts as
 * asleep until it has a core, and so would pass for another thread. */
static void look(pen_patience *patience, int64_t now)
{
    const double queued = pen_queued_now(), elapsed = 1e-9 * (double)(now - patience->looked);
    const int awake = patience->ranks - (int)atomic_load(patience->asleep), running = pen_running_now();
    const bool doubt = patience->crowded ? running <= patience->ranks
                                         : running > awake && queued - patience->queued > 0.25 * elapsed;
    patience->doubts = doubt ? patience->doubts + 1 : 0;
    if (patience->doubts == (patience->crowded ? CALM_LOOKS : CROWDED_LOOKS)) {
        patience->crowded = !patience->crowded;
        patience->doubts = 0;
    }
    patience->looked = now;
    patience->queued = queued;
}

bool pen_patience_is_crowded(pen_patience *patience)
{
    const int64_t now = nanoseconds_now();
    if (now - patience->looked >= LOOK_AGAIN) look(patience, now);
    return patience->crowded;
}

/* A tag that no message has: MPICH makes no progress in a probe that finds a message. */
enum { NO_TAG = 32767 };

static void drive_progress(const pen_patience *patience)
{
    int found;
    if (patience->mpi != MPI_COMM_NULL)
        (void)MPI_Iprobe(MPI_ANY_SOURCE, NO_TAG, patience->mpi, &found, MPI_STATUS_IGNORE);
}

static bool spin(const pen_event *event, uint32_t target, int most)
{
    for (int polls = 0; polls < most && !pen_event_reached(event, target); polls++) pause_briefly();
    return pen_event_reached(event, target);
}

/* Poll. Returns whether the count was reached. */
static bool poll(const pen_event *event, uint32_t target, pen_patience *patience)
{
    if (patience->crowded) return spin(event, target, POLLS_CROWDED);
    if (!patience->shared && spin(event, target, POLLS_ALONE)) return true;
    const int64_t begun = nanoseconds_now();
    int64_t now = begun;
    for (int yields = 1; now - begun < LONG_WAIT; yields++) {
        if (pen_event_reached(event, target)) return true;
        if (patience->remote || yields % POLLS_PER_PROBE == 0) drive_progress(patience);
        sched_yield();
        now = nanoseconds_now();
        if (now - patience->looked < LOOK_AGAIN) continue;
        look(patience, now);
        if (patience->crowded) break;
    }
    return pen_event_reached(event, target);
}

static void rest(pen_event *event, uint32_t target, const pen_patience *patience)
{
    long time = patience->remote ? REMOTE_SLEEP : FIRST_SLEEP;
    atomic_fetch_add(patience->asleep, 1);
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
    atomic_fetch_sub(patience->asleep, 1);
}

void pen_event_await(pen_event *event, uint32_t target, pen_patience *patience, const char *what, int rank)
{
    if (pen_event_reached(event, target)) return;
    (void)pen_patience_is_crowded(patience);
    pen_mark_wait_for(what, rank);
    if (!poll(event, target, patience)) rest(event, target, patience);
    pen_mark_over_for();
}
