/* timers.h - the times of a run's parts.
 *
 * Ticks are the processor's time-stamp counter if there is one: it takes 8 ns per reading on machines where
 * clock_gettime takes 25 ns, and a step of hex 32x32 takes 2 us and reads it five times per phase. Ticks are converted
 * to seconds by the run's length, which both clocks measure. */
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
    PEN_TIME_COMPUTE,                /* inside node functions */
    PEN_TIME_COMPUTE_OVERHEAD,       /* the rest of the sweep */
    PEN_TIME_COMMUNICATE,            /* waiting and copying of pulls or messages */
    PEN_TIME_COMMUNICATION_OVERHEAD, /* packing, plans, epochs */
    PEN_TIME_BALANCE,
    PEN_TIME_CATEGORIES
} pen_category;

typedef struct pen_timers {
    uint64_t ticks[PEN_TIME_CATEGORIES];
    double begun;         /* seconds, when the program began, or the run where that is all that is known */
    double init, loop;    /* seconds */
    double queued;        /* seconds that the thread had waited for a core when the run was there */
    double start_seconds; /* seconds, at the begin of the program, or else of the run */
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
