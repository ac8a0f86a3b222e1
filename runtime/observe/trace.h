/* trace.h - a rank's events: spans of time, and values at moments. */
#pragma once

#include "base/comm.h"
#include "observe/timers.h"

/* A span from `begin` to `end`; or a counter at `begin` with `value`. Texts outlive the trace. */
typedef struct pen_trace_event {
    const char *name, *category; /* name and category of a span; a counter has category NULL */
    uint64_t begin, end;         /* times in ticks */
    int64_t step;
    double value;
} pen_trace_event;

/* The largest number of events of a rank (48 bytes each); later ones are dropped and counted. */
enum { PEN_TRACE_EVENTS = 1 << 22 };

typedef struct pen_trace {
    pen_trace_event *events; /* [count] recorded events */
    int64_t count, room, dropped;
    uint64_t start; /* ticks at time 0 */
} pen_trace;

/* Collective. Create an empty trace. Time 0 is now, on all ranks. PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_trace_create(pen_comm *comm, pen_trace **trace);

/* Local. Free a trace. Nulls *trace; NULL and a null handle are legal. */
void pen_trace_destroy(pen_trace **trace);

/* Local. Add an event. If trace is NULL or memory is exhausted, nothing is added. */
void pen_trace_record(pen_trace *trace, const pen_trace_event *event);
static inline void pen_trace_span(pen_trace *trace, const char *name, const char *category, int64_t step,
                                  uint64_t begin, uint64_t end)
{
    if (trace && end > begin) pen_trace_record(trace, &(pen_trace_event){ name, category, begin, end, step, 0.0 });
}
