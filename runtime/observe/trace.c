/* trace.c - records a rank's events in memory. */
#include "observe/trace.h"
#include "base/memory.h"

enum { FIRST_ROOM = 1 << 12 };

pen_status pen_trace_create(pen_comm *comm, pen_trace **trace)
{
    pen_status status = PEN_ALLOC_ZERO(trace, 1);
    if (status == PEN_OK) status = PEN_ALLOC(&(*trace)->events, FIRST_ROOM);
    status = pen_agree(comm, status);
    if (status != PEN_OK) {
        pen_trace_destroy(trace);
        return status;
    }
    (*trace)->room = FIRST_ROOM;
    PEN_TRY(pen_barrier(comm));
    (*trace)->start = pen_ticks();
    return PEN_OK;
}

void pen_trace_destroy(pen_trace **trace)
{
    if (!trace || !*trace) return;
    PEN_FREE_ALL((*trace)->events, *trace);
    *trace = NULL;
}

void pen_trace_record(pen_trace *t, const pen_trace_event *event)
{
    if (!t) return;
    if (t->count == t->room) {
        int64_t room = 2 * t->room;
        if (room > PEN_TRACE_EVENTS || PEN_REALLOC(&t->events, room) != PEN_OK) {
            t->dropped++;
            return;
        }
        t->room = room;
    }
    t->events[t->count++] = *event;
}
