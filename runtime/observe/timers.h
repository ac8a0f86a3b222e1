/* timers.h - measures how a run spends its time.
 *
 * Ticks are the processor's time-stamp counter if there is one, since reading it costs a third of clock_gettime, and
 * short steps read it five times per phase. Ticks are converted to seconds by the length of the run, which both clocks
 * measure. */
#pragma once

#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

static inline double pen_seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline uint64_t pen_ticks(void)
{
#if defined(__x86_64__)
    return __rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
#endif
}

/* The categories of the metrics' "seconds" except init, loop and total. */
typedef enum pen_category {
    PEN_TIME_COMPUTE,                /* time inside node functions */
    PEN_TIME_COMPUTE_OVERHEAD,       /* the rest of the sweep over the nodes */
    PEN_TIME_COMMUNICATE,            /* waiting, and copying for pulls or messages */
    PEN_TIME_COMMUNICATION_OVERHEAD, /* packing, plans and epochs */
    PEN_TIME_BALANCE,
    PEN_TIME_CATEGORIES
} pen_category;

typedef struct pen_timers {
    uint64_t ticks[PEN_TIME_CATEGORIES];
    double begun;         /* time in seconds when the program began; if that is unknown, when the run began */
    double init, loop;    /* durations of initialisation and of the loop, in seconds */
    double queued;        /* seconds that the thread had waited for a core before the run was created */
    double start_seconds; /* reading of the clock in seconds at the time of start_ticks */
    uint64_t start_ticks;
    struct pen_trace *trace; /* gets the spans that are measured (trace.h); NULL: none are kept */
} pen_timers;

static inline void pen_timers_start(pen_timers *timers)
{
    *timers = (pen_timers){ .start_seconds = pen_seconds_now(), .start_ticks = pen_ticks() };
    timers->begun = timers->start_seconds;
}

/* Seconds per tick, by the time since the start. */
static inline double pen_timers_scale(const pen_timers *timers)
{
    uint64_t ticks = pen_ticks() - timers->start_ticks;
    return ticks ? (pen_seconds_now() - timers->start_seconds) / (double)ticks : 0.0;
}
