/* environment.h - what this MPI set-up can do, found out before anything depends on it.
 *
 * pen_environment_prepare, which runs before MPI_Init, is public (penumbra.h). */
#pragma once

#include "base/comm.h"

typedef enum pen_window_kind {
    PEN_WINDOW_NONE,      /* private memory: two-sided transports only */
    PEN_WINDOW_SHARED,    /* MPI_Win_allocate_shared */
    PEN_WINDOW_ALLOCATED, /* MPI_Win_allocate */
    PEN_WINDOW_HOSTS      /* MPI_Win_allocate_shared on each host; MPI_Win_allocate works besides */
} pen_window_kind;

/* Collective. The best kind of window that works on this communicator: shared on one host, else
 * allocated, else none, and then pen_environment_reason() tells why. With `by_load`, for a caller that
 * reads its neighbours' memory directly: shared on one host, else hosts, else none. `bytes` >= 0 is what
 * this rank will ask for. Free space for shared memory is checked on every host before any window is made,
 * since MPI libraries hang or crash where it runs out, and kept from other launches (shm_capacity.h); then a small
 * window is made and read from. That no window works is no failure: PEN_OK; PEN_ERR_MPI where even that cannot be
 * agreed on. */
PEN_CHECKED pen_status pen_environment_probe(pen_comm *comm, int64_t bytes, bool by_load, pen_window_kind *kind);

/* Local. Reason and remedy after a probe that found PEN_WINDOW_NONE: one line, equal on all ranks,
 * valid until the next probe; "" before. */
const char *pen_environment_reason(void);

/* Local, by programs, and not by the library: its process may be somebody else's. What would grow beyond the limit of
 * files' sizes (ulimit -f) cannot be written then (EFBIG), where SIGXFSZ would end the program without a word; unless
 * that signal has a handler. Commands that the program starts inherit it. */
void pen_environment_catch_limits(void);
