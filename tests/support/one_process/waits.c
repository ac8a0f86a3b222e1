/* waits.c - what the linker puts in the place of functions that wait, or tell the time (--wrap): in a rank they give
 * the baton away, and there is a clock of the simulation. Threads that are no ranks get the real ones. */
#include "base/event.h"
#include "tests/support/one_process/sim.h"

#include <sched.h>
#include <time.h>

typedef struct target {
    const pen_event *event;
    uint32_t count;
} target;

static bool is_reached(void *what)
{
    const target *t = what;
    return pen_event_reached(t->event, t->count);
}

void __real_pen_event_await(pen_event *event, uint32_t count, pen_patience *patience, const char *what, int rank);
void __wrap_pen_event_await(pen_event *event, uint32_t count, pen_patience *patience, const char *what, int rank);
void __wrap_pen_event_await(pen_event *event, uint32_t count, pen_patience *patience, const char *what, int rank)
{
    target t = { event, count };
    sim_enter(what, __builtin_return_address(0), rank, -1);
    pen_mark_wait_for(what, rank);
    const bool waits = !is_reached(&t);
    sim_wait(is_reached, &t);
    if (waits) sim_event_came();
    pen_mark_over_for();
    sim_happened();
    (void)sim_leave(0);
    __real_pen_event_await(event, count, patience, what, rank); /* which orders memory as in the product */
}

uint32_t __real_pen_event_add(pen_event *event, uint32_t step, bool wake);
uint32_t __wrap_pen_event_add(pen_event *event, uint32_t step, bool wake);
uint32_t __wrap_pen_event_add(pen_event *event, uint32_t step, bool wake)
{
    if (sim_me) sim_added();
    return __real_pen_event_add(event, step, wake);
}

bool __wrap_pen_patience_is_crowded(pen_patience *patience);
bool __wrap_pen_patience_is_crowded(pen_patience *patience) { return sim_takes(ONE_PROCESS_SHORT_PATIENCE); }

/* Clocks of different hosts have nothing in common. */
int64_t sim_now(void)
{
    if (sim.clock) return (int64_t)(1e9 * sim_me->time);
    enum { HOUR = 3600, MOST = 20000 }; /* seconds, microseconds */
    sim.looks += 1000 * (sim_takes(ONE_PROCESS_TIME_PASSES) ? 1 + (int64_t)sim_draw(MOST) : 1);
    return sim.looks + (int64_t)sim_me->host * HOUR * 1000000000;
}

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    if (!sim_me || clock == CLOCK_REALTIME) return __real_clock_gettime(clock, now);
    const int64_t time = sim_now();
    *now = (struct timespec){ time / 1000000000, time % 1000000000 };
    return 0;
}

int __real_nanosleep(const struct timespec *time, struct timespec *left);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
    if (!sim_me) return __real_nanosleep(time, left);
    sim.looks += (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
    sim_spend((double)time->tv_sec + 1e-9 * (double)time->tv_nsec);
    sim_looked_in_vain();
    return 0;
}

int __real_sched_yield(void);
int __wrap_sched_yield(void);
int __wrap_sched_yield(void)
{
    if (!sim_me) return __real_sched_yield();
    sim_looked_in_vain();
    return 0;
}
