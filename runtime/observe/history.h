/* history.h - a rank's load over the steps, in limited memory: means over equal numbers of steps, which double whenever
 * the array is full. */
#pragma once

#include <stdint.h>

enum { PEN_HISTORY = 512 };

typedef struct pen_history {
    double means[PEN_HISTORY]; /* [count] mean loads of consecutive, equally long spans of steps */
    int count;
    int64_t stride; /* number of steps in each span */
    double sum;     /* sum of the loads of the steps after the last mean */
    int64_t steps;  /* number of these steps, below stride */
} pen_history;

/* All Local. stride is 1 at first; equal numbers of calls leave equal counts and strides. */
static inline void pen_history_start(pen_history *history) { *history = (pen_history){ .stride = 1 }; }

static inline void pen_history_add(pen_history *history, double load)
{
    history->sum += load;
    if (++history->steps < history->stride) return;
    history->means[history->count++] = history->sum / (double)history->stride;
    history->sum = 0.0;
    history->steps = 0;
    if (history->count < PEN_HISTORY) return;
    for (int i = 0; i < PEN_HISTORY / 2; i++)
        history->means[i] = 0.5 * (history->means[2 * i] + history->means[2 * i + 1]);
    history->count = PEN_HISTORY / 2;
    history->stride *= 2;
}
