/* environment.h - finds out which windows this MPI can create, before a run depends on them.
 *
 * pen_environment_prepare, which runs before MPI_Init, is public (penumbra.h). */
#pragma once

#include "base/comm.h"

typedef enum pen_window_kind {
    PEN_WINDOW_NONE,      /* private memory, for two-sided transports only */
    PEN_WINDOW_SHARED,    /* memory from MPI_Win_allocate_shared */
    PEN_WINDOW_ALLOCATED, /* memory from MPI_Win_allocate */
    PEN_WINDOW_HOSTS      /* memory from MPI_Win_allocate_shared on each host; MPI_Win_allocate works, too */
} pen_window_kind;

/* Collective. Find the best kind of window that works on this communicator: shared on one host, otherwise allocated,
 * otherwise none, for which pen_environment_reason() has the reason. With `by_load`, for a caller that reads its
 * neighbours' memory directly: shared on one host, otherwise hosts, otherwise none. `bytes` >= 0 is the size that
 * this rank will allocate. Each host first checks the free space for shared memory, since MPI libraries hang or
 * crash when it runs out, and reserves it against other launches (shm_capacity.h). Then a small window is made and
 * read. If no window works, the result is still PEN_OK. PEN_ERR_MPI: the ranks cannot agree. */
PEN_CHECKED pen_status pen_environment_probe(pen_comm *comm, int64_t bytes, bool by_load, pen_window_kind *kind);

/* Local. The reason and remedy after a probe that found PEN_WINDOW_NONE: one line, equal on all ranks, valid until the
 * next probe; "" before. */
const char *pen_environment_reason(void);

/* Local, before MPI_Init. Whether no launcher and no batch system began this process: it is the only rank. */
bool pen_environment_is_alone(void);

/* Local, before MPI_Init, in a program that is the only rank: set environment variables, unless the user has set them,
 * so that Open MPI 4 starts no helper and looks for no networks. That takes longer than most graphs, and a killed
 * program's helper leaves a folder. Without it the program cannot call MPI_Comm_spawn. */
void pen_environment_alone(void);

/* Local. Ignore SIGXFSZ, unless the signal has a handler. A write beyond the limit of file sizes (ulimit -f) then fails
 * with EFBIG, and does not end the program without a message. Only programs call this, since the library may run in a
 * process with its own handling of signals. Child processes inherit it. */
void pen_environment_catch_limits(void);
