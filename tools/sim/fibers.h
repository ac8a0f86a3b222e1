/* fibers.h - threads of control that take turns on one thread of the process: each has a stack of its own, and runs
 * until it names the next one. */
#pragma once

#include "base/status.h"

#include <setjmp.h>
#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#define PEN_FIBERS_ARE_ANNOTATED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PEN_FIBERS_ARE_ANNOTATED 1
#endif
#endif
#ifndef PEN_FIBERS_ARE_ANNOTATED
#define PEN_FIBERS_ARE_ANNOTATED 0 /* 1: the address sanitizer is on, and is informed of every turn */
#endif

/* Stacks. A page takes memory when it is first touched; an inaccessible page is below each stack. */
typedef struct pen_stacks {
    unsigned char *memory;
    int count;
} pen_stacks;

/* Local. Take at least `count` stacks, which are given back later. The process keeps the most that were given back at
 * once, with the touched pages, for the next call, which makes many short runs cheap. Each stack takes two mappings:
 * the usual vm.max_map_count, 65530, permits 32000. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_stacks_take(int count, pen_stacks *stacks);
void pen_stacks_give(pen_stacks *stacks);

/* A started fiber, or, if all zero, the thread itself. It must not move in memory or to another thread. */
typedef struct pen_fiber {
    jmp_buf where; /* it goes on, once it has been `started` */
    bool started;
    void (*function)(void *);
    void *argument;
    const void *stack; /* from here on for the address sanitizer */
    size_t stack_bytes;
    void *fake_stack;
    struct pen_fiber *before;
    ucontext_t context; /* where it begins */
} pen_fiber;

/* Local. Prepare a fiber on stack `index`, for the current thread. Its first turn calls function(argument), which must
 * switch for the last time before it returns. */
void pen_fiber_start(pen_fiber *fiber, const pen_stacks *stacks, int index, void (*function)(void *), void *argument);

/* Local. From the one that runs to another; returns with the next turn of `from`. `last`: it will have none, and its
 * function must then return without touching anything, which happens when the next fiber begins on the stack. */
void pen_fiber_switch(pen_fiber *from, pen_fiber *to, bool last);
