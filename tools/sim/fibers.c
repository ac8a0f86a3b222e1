/* fibers.c - fibers: stacks of their own, and switches between them. */
#undef _FORTIFY_SOURCE /* the fortified longjmp takes another stack for a damaged one */
#include "tools/sim/fibers.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if PEN_FIBERS_ARE_ANNOTATED
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
enum { STACK_BYTES = 160 * 1024 };
#else
enum { STACK_BYTES = 128 * 1024 };
#endif
#ifdef PEN_HAVE_VALGRIND /* it must know stacks, to distinguish a switch from a large frame */
#include <valgrind/valgrind.h>
#else
#define VALGRIND_STACK_REGISTER(start, end) ((void)(start), (void)(end))
#endif

/* The upper end of a stack, which the fibers that use it one after the other share, since the first turn of a context
 * takes two system calls. */
typedef struct stack_end {
    pen_fiber *fiber; /* the present one */
    bool waits;       /* its function had its last turn, at `where`, and returns from there once the next one begins */
    jmp_buf where;
} stack_end;

enum { END_BYTES = (sizeof(stack_end) + 63) / 64 * 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pen_stacks spare; /* under the lock */

static size_t guard_bytes(void) { return (size_t)sysconf(_SC_PAGESIZE); }

static unsigned char *stack_at(const pen_stacks *stacks, int index)
{
    size_t guard = guard_bytes();
    return stacks->memory + (size_t)index * (guard + STACK_BYTES) + guard;
}

static void unmap(pen_stacks *stacks)
{
    if (stacks->memory) munmap(stacks->memory, (size_t)stacks->count * (guard_bytes() + STACK_BYTES));
    *stacks = (pen_stacks){ NULL, 0 };
}

/* Exchange the spare stacks and `mine`. */
static void trade(pen_stacks *mine)
{
    pthread_mutex_lock(&lock);
    pen_stacks other = spare;
    spare = *mine;
    pthread_mutex_unlock(&lock);
    *mine = other;
}

pen_status pen_stacks_take(int count, pen_stacks *stacks)
{
    *stacks = (pen_stacks){ NULL, 0 };
    trade(stacks);
    if (stacks->count >= count) return PEN_OK;
    unmap(stacks);
    size_t bytes = (size_t)count * (guard_bytes() + STACK_BYTES);
    void *memory = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return pen_fail(PEN_ERR_MEMORY, "no memory for the stacks of %d fibers", count);
    *stacks = (pen_stacks){ memory, count };
    bool made = true;
    for (int i = 0; i < count && made; i++) {
        unsigned char *stack = stack_at(stacks, i);
        made = mprotect(stack, STACK_BYTES, PROT_READ | PROT_WRITE) == 0;
        (void)VALGRIND_STACK_REGISTER(stack, stack + STACK_BYTES);
    }
    if (!made) unmap(stacks);
    return made ? PEN_OK
                : pen_fail(PEN_ERR_MEMORY, "no memory for the stacks of %d fibers, or vm.max_map_count is less than %d",
                           count, 2 * count);
}

void pen_stacks_give(pen_stacks *stacks)
{
    pen_stacks returned = *stacks;
    trade(stacks);
    if (stacks->count > returned.count) trade(stacks);
    unmap(stacks);
}

static void arrive(pen_fiber *self)
{
#if PEN_FIBERS_ARE_ANNOTATED
    __sanitizer_finish_switch_fiber(self->fake_stack, &self->before->stack, &self->before->stack_bytes);
#endif
}

static stack_end *end_of(const void *stack)
{
    return (stack_end *)((const unsigned char *)stack + STACK_BYTES - END_BYTES);
}

/* Contexts have a signal mask, and setting it takes a system call. So they are used for the first turn on a stack only
 * (as in QEMU's coroutines and GNU Pth), and with the address sanitizer, which has a longjmp of its own. */
static void leave(pen_fiber *from, pen_fiber *to, bool last)
{
    if (PEN_FIBERS_ARE_ANNOTATED) {
        swapcontext(&from->context, &to->context);
        return;
    }
    from->started = true;
    if (last) end_of(from->stack)->waits = true;
    if (_setjmp(last ? end_of(from->stack)->where : from->where) == 0) {
        if (to->started) _longjmp(to->where, 1);
        to->started = true;
        setcontext(&to->context);
    }
}

void pen_fiber_switch(pen_fiber *from, pen_fiber *to, bool last)
{
#if PEN_FIBERS_ARE_ANNOTATED
    to->before = from;
    __sanitizer_start_switch_fiber(last ? NULL : &from->fake_stack, to->stack, to->stack_bytes);
#endif
    leave(from, to, last);
    arrive(from);
}

/* makecontext hands over integers only: the pointer comes in two halves. */
static void begin(unsigned int high, unsigned int low)
{
    const stack_end *end = (const stack_end *)(((uintptr_t)high << 16 << 16) | low);
    arrive(end->fiber);
    for (;;) end->fiber->function(end->fiber->argument);
}

void pen_fiber_start(pen_fiber *fiber, const pen_stacks *stacks, int index, void (*function)(void *), void *argument)
{
    unsigned char *stack = stack_at(stacks, index);
#if PEN_FIBERS_ARE_ANNOTATED
    __asan_unpoison_memory_region(stack, STACK_BYTES); /* frames of the fiber that used it before */
#endif
    fiber->function = function;
    fiber->argument = argument;
    fiber->stack = stack;
    fiber->stack_bytes = STACK_BYTES;
    fiber->fake_stack = NULL;
    stack_end *end = end_of(stack);
    end->fiber = fiber;
    fiber->started = end->waits;
    if (end->waits) {
        end->waits = false;
        memcpy(&fiber->where, &end->where, sizeof fiber->where);
        return;
    }
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = stack;
    fiber->context.uc_stack.ss_size = STACK_BYTES - END_BYTES;
    uintptr_t address = (uintptr_t)end;
    makecontext(&fiber->context, (void (*)(void))begin, 2, (unsigned int)(address >> 16 >> 16),
                (unsigned int)(address & 0xffffffffu));
}
