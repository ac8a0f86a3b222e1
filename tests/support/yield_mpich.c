/* yield_mpich.c - preloaded into MPICH's launcher and ranks by the tests: an idle rank yields its core to another one.
 *
 * MPICH 4.0 with UCX (Debian's) spins without ever yielding, and has no setting for that. All its waiting calls UCX's
 * progress function, which this one replaces. Its launcher also begins a session for every rank; Linux distributes
 * cores among sessions first (autogroups), and sched_yield, also our own, yields within a session only. Without this, 4
 * ranks on 2 cores wait up to 16 ms in every barrier. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*progress)(void *);
    if (!progress) *(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
    unsigned done = progress(worker);
    if (done == 0) sched_yield();
    return done;
}

/* A process group, by which the launcher ends a rank's processes, in place of a session. */
pid_t setsid(void) { return setpgid(0, 0) == 0 ? getpid() : -1; }
