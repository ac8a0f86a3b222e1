/* marks.h - what this process is at, for whoever looks at it from outside (observe/watch.h): marks that the thread that
 * calls the library sets on its way, by a store or two each, and that another thread reads at any time.
 *
 * There is one set of marks per process, whatever runs it has: the library is called by one thread at a time. */
#ifndef PEN_MARKS_H
#define PEN_MARKS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Texts are constants. */
typedef struct pen_marks {
    _Atomic(uint64_t) moves; /* grows whenever something is done: who stands still does not move */
    _Atomic(const char *)
        call; /* the MPI call that the process is in, with its arguments, or another wait; NULL: none */
    _Atomic(const char *) within; /* the function of the library that has been called; NULL: none */
    _Atomic(const char *) doing;  /* which part of that; NULL: nobody says */
    _Atomic(const char *) phase;  /* its name; NULL: none */
    _Atomic(int64_t) step;        /* steps done; -1: there is no run yet */
    _Atomic(int) awaited;         /* the rank that a wait is for; -1: several, or not known */
} pen_marks;

extern pen_marks pen_marked;

/* Local. Keep a mark, without any order among them. */
#define PEN_MARK(member, value) atomic_store_explicit(&pen_marked.member, (value), memory_order_relaxed)
#define PEN_MARK_OF(member) atomic_load_explicit(&pen_marked.member, memory_order_relaxed)

/* Local. This process has moved: it begins to wait in `call`; or to do something else. */
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

/* Local. The wait is over; pen_mark_done returns what it came to. */
static inline void pen_mark_over(void) { PEN_MARK(call, NULL); }
static inline int pen_mark_done(int code)
{
    pen_mark_over();
    return code;
}

/* Local. A wait for one rank, and its end. */
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

/* What an MPI call returns, with a mark as long as it lasts. */
#define PEN_MARKED(call) (pen_mark_wait(#call), pen_mark_done(call))

/* Local. Enter a function of the library; and leave it, where what was before goes on. */
typedef struct pen_within {
    const char *function, *doing;
} pen_within;
pen_within pen_within_enter(const char *function);
void pen_within_leave(const pen_within *before);

/* At the beginning of a function of the interface that others wait in, or for. */
#define PEN_WITHIN(function) \
    __attribute__((unused, cleanup(pen_within_leave))) pen_within within_ = pen_within_enter(function)

/* Local. The same around calls of the application's functions for nodes, which each rank calls as often as it has
 * nodes: nothing collective may be called there. */
extern _Thread_local const char *pen_inside; /* whose functions this thread calls: a phase, or what else; NULL: none */
const char *pen_inside_enter(const char *name);
void pen_inside_leave(const char *const *before);
#define PEN_INSIDE(name) __attribute__((unused, cleanup(pen_inside_leave))) const char *inside_ = pen_inside_enter(name)

#endif
