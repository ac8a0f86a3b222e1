/* switch.c - how a rank goes on where another one stops.
 *
 * Each rank is a thread with a stack and thread-local variables of its own. Usually the thread of the rank that goes on
 * is woken, and that of the other one sleeps, which takes 2 to 4 microseconds. Where the processor lets programs set
 * the base of thread-local variables (fsgsbase), one thread can do the work of all: it takes over the registers, the
 * stack and the thread-local variables of the rank that goes on, while the thread that these belong to sleeps on a
 * stack of its own. That takes a hundredth of the time; but debuggers and ThreadSanitizer know threads only. */
#define _GNU_SOURCE /* syscall */
#include "tests/support/one_process/sim.h"

#include <linux/futex.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef __x86_64__
#define CAN_TAKE_OVER 0
static void swap_stacks(void **from, void *to, unsigned long base) { (void)from, (void)to, (void)base, abort(); }
static unsigned long own_base(void) { return 0; }
static long futex(_Atomic(int) *word, int what, int value)
{
    return syscall(SYS_futex, word, what, value, NULL, NULL, 0);
}
#else
#define CAN_TAKE_OVER 1

/* What calls must preserve goes to the stack. */
void swap_stacks(void **from, void *to, unsigned long base) __attribute__((visibility("hidden")));
__asm__(".text\n"
        ".hidden swap_stacks\n"
        ".globl swap_stacks\n"
        ".type swap_stacks, @function\n"
        "swap_stacks:\n"
        "  push %rbp\n  push %rbx\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
        "  sub $8, %rsp\n  stmxcsr (%rsp)\n  fnstcw 4(%rsp)\n"
        "  mov %rsp, (%rdi)\n"
        "  mov %rsi, %rsp\n"
        "  wrfsbase %rdx\n"
        "  fldcw 4(%rsp)\n  ldmxcsr (%rsp)\n  add $8, %rsp\n"
        "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %rbx\n  pop %rbp\n"
        "  ret\n"
        ".size swap_stacks, . - swap_stacks\n");

static unsigned long own_base(void)
{
    unsigned long base;
    __asm__ volatile("rdfsbase %0" : "=r"(base));
    return base;
}

/* Without errno, which is the other thread's. */
static long futex(_Atomic(int) *word, int what, int value)
{
    long result;
    register long r10 __asm__("r10") = 0, r8 __asm__("r8") = 0, r9 __asm__("r9") = 0;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(SYS_futex), "D"(word), "S"(what), "d"(value), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}
#endif

void __tsan_acquire(void *object) __attribute__((weak));

enum { PARK_STACK = 16 << 10, FRAME = 8 };

static struct {
    bool takes_over;
    void *stack; /* of the thread that is no rank */
    unsigned long base;
    _Atomic(int) parked, turn;
} all;

static void wake(_Atomic(int) *turn)
{
    atomic_store_explicit(turn, 1, memory_order_release);
    (void)futex(turn, FUTEX_WAKE_PRIVATE, 1);
}

static void await_turn(_Atomic(int) *turn)
{
    while (!atomic_load_explicit(turn, memory_order_acquire)) (void)futex(turn, FUTEX_WAIT_PRIVATE, 0);
    atomic_store_explicit(turn, 0, memory_order_relaxed);
}

void sim_switch_prepare(bool threads)
{
    enum { FSGSBASE = 2 }; /* a bit of AT_HWCAP2 */
    all.takes_over = CAN_TAKE_OVER && !threads && !__tsan_acquire && (getauxval(AT_HWCAP2) & FSGSBASE);
    all.parked = all.turn = 0;
}

/* On a small stack, while another thread does this one's work. */
static void park(sim_rank *r)
{
    void *nobody;
    atomic_fetch_add(&all.parked, 1);
    (void)futex(&all.parked, FUTEX_WAKE_PRIVATE, 1);
    await_turn(&r->turn);
    swap_stacks(&nobody, r->stack, r->base);
}

static _Thread_local sim_rank *parking; /* swap_stacks passes no arguments */
static void park_this(void) { park(parking); }

void sim_switch_begin(sim_rank *r)
{
    if (!all.takes_over) {
        await_turn(&r->turn);
        return;
    }
    r->park_stack = sim_allocate(PARK_STACK);
    void **top = (void **)(void *)(r->park_stack + PARK_STACK) - 2; /* aligned as at a function's beginning */
    union {
        void (*function)(void);
        void *address;
    } entry = { park_this };
    *--top = NULL;
    *--top = entry.address;
    for (int i = 0; i < FRAME - 2; i++) *--top = NULL;
    --top;
    __asm__ volatile("" ::: "memory");
    ((uint32_t *)(void *)top)[0] = 0x1f80; /* the usual modes of arithmetic */
    ((uint32_t *)(void *)top)[1] = 0x37f;
    parking = r;
    r->base = own_base();
    swap_stacks(&r->stack, top, r->base);
}

void sim_switch_to(sim_rank *to)
{
    if (!all.takes_over) {
        wake(to ? &to->turn : &all.turn);
        if (!sim_me->ended) await_turn(&sim_me->turn);
        return;
    }
    swap_stacks(&sim_me->stack, to ? to->stack : all.stack, to ? to->base : all.base);
}

void sim_switch_run(sim_rank *first)
{
    if (!all.takes_over) {
        wake(&first->turn);
        await_turn(&all.turn);
        return;
    }
    for (int parked; (parked = atomic_load(&all.parked)) < sim.settings.ranks;)
        (void)futex(&all.parked, FUTEX_WAIT_PRIVATE, parked);
    all.base = own_base();
    swap_stacks(&all.stack, first->stack, first->base);
    for (int i = 0; i < sim.settings.ranks; i++) wake(&sim.ranks[i].turn); /* each ends as a thread */
}
