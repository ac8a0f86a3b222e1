/* guarded.h - memory between pages that nobody may touch, and calls that may touch them without ending the process. */
#ifndef PEN_GUARDED_H
#define PEN_GUARDED_H

#include "base/status.h"

typedef struct pen_guarded {
    unsigned char *memory; /* ends where the pages behind it begin that nobody may touch */
    unsigned char *mapped;
    size_t mapped_bytes;
} pen_guarded;

/* Local. `bytes` >= 0 bytes of zeroes; before and behind them, as far as `guard` bytes where the system allows so much,
 * touching the memory is a fault. It costs no memory. What is there is replaced. PEN_ERR_MEMORY: then it is empty. */
PEN_CHECKED pen_status pen_guarded_make(int64_t bytes, size_t guard, pen_guarded *guarded);
void pen_guarded_free(pen_guarded *guarded);

/* Why a call has ended: a signal (0: it has returned), and what it has touched. */
typedef struct pen_fault {
    int signal;
    uintptr_t address;
} pen_fault;

/* Local. From begin to end pen_guarded_call catches SIGSEGV, SIGBUS and SIGFPE of this thread; all other ones go where
 * they went before. These two come in pairs, and not in each other. */
void pen_guard_begin(void);
void pen_guard_end(void);

/* Local, between them. Call a function. After a fault it is left where it was: what it held is lost. */
pen_fault pen_guarded_call(void (*function)(void *context), void *context);

#endif
