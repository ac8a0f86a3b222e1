/* marks.h - the present activity of this process. The thread that calls the library sets these marks, by one or two
 * stores each. The thread of the watchdog (debug/watchdog.h) reads them at any time.
 *
 * A process has one set of marks for all its runs, since only one thread at a time calls the library. Where ranks are
 * threads of one process, each has its own. */
#pragma once

#include "base/per_rank.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* The marks. Their texts are constants. */
typedef struct pen_marks {
    _Atomic(uint64_t) moves;    /* increases with every mark that is set */
    _Atomic(uint64_t) steps;    /* increases with every step that begins, and with every call of pen_run_steps */
    _Atomic(const char *) call; /* the MPI call that the process is in, with its arguments, or another wait, or NULL */
    _Atomic(const char *) within; /* the function of the library that the program has called, or NULL */
    _Atomic(const char *) doing;  /* the activity within that function, or NULL */
    _Atomic(const char *) phase;  /* the name of the phase, or NULL */
    _Atomic(int64_t) step;        /* the number of finished steps in pen_run_steps; elsewhere -1 */
    _Atomic(int) awaited;         /* the rank for which a wait is; -1: several ranks, or unknown */
} pen_marks;

/* Threads point to the marks of the process, unless they are set to others. */
extern PEN_PER_RANK pen_marks *pen_marked;

/* Local. Set and read a mark. Different marks are not ordered. */
#define PEN_MARK(member, value) atomic_store_explicit(&pen_marked->member, (value), memory_order_relaxed)
#define PEN_MARK_OF(member) atomic_load_explicit(&pen_marked->member, memory_order_relaxed)

/* Local. The process makes progress: it begins to wait in `call`, begins another activity, or begins a step. */
static inline void pen_mark_move(void) { PEN_MARK(moves, PEN_MARK_OF(moves) + 1); }
static inline void pen_mark_wait(const char *call)
{
    pen_mark_move();
    PEN_MARK(call, call);
}
static inline void pen_mark_doing(const char *doing)
{
    pen_mark_move();
    PEN_MARK(doing, doing);
}

static inline void pen_mark_step(int64_t done)
{
    pen_mark_move();
    PEN_MARK(steps, PEN_MARK_OF(steps) + 1);
    PEN_MARK(step, done);
}

/* Local. The wait is over; pen_mark_done returns the code of the call. */
static inline void pen_mark_over(void) { PEN_MARK(call, NULL); }
static inline int pen_mark_done(int code)
{
    pen_mark_over();
    return code;
}

/* Local. Begin a wait for one rank, and end it. */
static inline void pen_mark_wait_for(const char *call, int rank)
{
    PEN_MARK(awaited, rank);
    pen_mark_wait(call);
}
static inline void pen_mark_over_for(void)
{
    pen_mark_over();
    PEN_MARK(awaited, -1);
}

/* The code that an MPI call returns; the call is marked while it lasts. */
#define PEN_MARKED(call) (pen_mark_wait(#call), pen_mark_done(call))

/* Local. Enter a function of the library; leave it, which restores the earlier marks. */
typedef struct pen_within {
    const char *function, *doing;
    int64_t step;
} pen_within;
pen_within pen_within_enter(const char *function);
void pen_within_leave(const pen_within *before);

/* Placed at the beginning of a public function in which ranks wait for each other. */
#define PEN_WITHIN(function) \
    __attribute__((unused, cleanup(pen_within_leave))) pen_within within_ = pen_within_enter(function)

/* Local. Placed where functions of the application are called for nodes. These must not make collective calls, since
 * ranks have different numbers of nodes. */
extern _Thread_local const char
    *pen_inside; /* the phase, or other kind of function, that this thread calls; NULL: none */
const char *pen_inside_enter(const char *name);
void pen_inside_leave(const char *const *before);
#define PEN_INSIDE(name) __attribute__((unused, cleanup(pen_inside_leave))) const char *inside_ = pen_inside_enter(name)
