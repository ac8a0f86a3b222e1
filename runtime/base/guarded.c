#include "base/guarded.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- Memory ------------------------------------------------------------------------------------ */

pen_status pen_guarded_make(int64_t bytes, size_t guard, pen_guarded *guarded)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), inside = ((size_t)bytes + page - 1) / page * page;
    pen_guarded_free(guarded);
    for (guard = (guard + page - 1) / page * page;; guard = guard / 16 / page * page) {
        const size_t all = inside + 2 * guard;
        void *mapped = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (mapped != MAP_FAILED) {
            *guarded = (pen_guarded){ .mapped = mapped, .mapped_bytes = all };
            if (inside > 0 && mprotect(guarded->mapped + guard, inside, PROT_READ | PROT_WRITE) != 0) break;
            guarded->memory = guarded->mapped + guard + inside - bytes;
            return PEN_OK;
        }
        if (guard < 16 * page) break;
    }
    pen_guarded_free(guarded);
    return pen_fail(PEN_ERR_MEMORY, "out of memory: %" PRId64 " bytes between guard pages", bytes);
}

void pen_guarded_free(pen_guarded *guarded)
{
    if (guarded->mapped) munmap(guarded->mapped, guarded->mapped_bytes);
    *guarded = (pen_guarded){ .memory = NULL };
}

/* ---- Calls --------------------------------------------------------------------------------------- */

static const int SIGNALS[] = { SIGSEGV, SIGBUS, SIGFPE };
enum { SIGNAL_COUNT = sizeof SIGNALS / sizeof *SIGNALS };

static struct sigaction before[SIGNAL_COUNT];
static _Thread_local sigjmp_buf *volatile waiting; /* NULL: this thread is in no such call */
static _Thread_local volatile pen_fault caught;

static void catch_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (waiting && info->si_code > 0) { /* not from another process */
        caught.signal = number;
        caught.address = (uintptr_t)info->si_addr;
        siglongjmp(*waiting, 1);
    }
    for (int i = 0; i < SIGNAL_COUNT; i++)
        if (SIGNALS[i] == number) sigaction(number, &before[i], NULL);
    if (info->si_code <= 0) raise(number); /* a fault comes again by itself */
}

void pen_guard_begin(void)
{
    struct sigaction action = { .sa_flags = SA_SIGINFO | SA_NODEFER };
    action.sa_sigaction = catch_fault;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < SIGNAL_COUNT; i++) sigaction(SIGNALS[i], &action, &before[i]);
}

void pen_guard_end(void)
{
    for (int i = 0; i < SIGNAL_COUNT; i++) sigaction(SIGNALS[i], &before[i], NULL);
}

pen_fault pen_guarded_call(void (*function)(void *context), void *context)
{
    sigjmp_buf here;
    caught.signal = 0;
    caught.address = 0;
    if (sigsetjmp(here, 0) == 0) {
        waiting = &here;
        function(context);
    }
    waiting = NULL;
    return (pen_fault){ caught.signal, caught.address };
}
