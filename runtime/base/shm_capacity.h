/* shm_capacity.h - checks that shared memory has the capacity for what the ranks of a host are about to allocate. MPI
 * libraries do not fail cleanly without it: one rank gets an error, and the others wait for it for ever. */
#pragma once

#include "base/comm.h"

/* A launch's claim on space of this host: other launches count it as taken. */
typedef struct pen_shm_capacity {
    int folder; /* open, on a host's lowest rank; -1: there is no claim */
} pen_shm_capacity;

/* Collective. `mine` is this rank's status so far. `bytes` is what it is about to allocate: in memory that all ranks of
 * its host map (`shared`), or for itself. PEN_ERR_ENVIRONMENT: the folder, the largest file or the address space of
 * some rank is too small; the message says what to do. Otherwise the space is claimed until pen_shm_capacity_release.
 * No lock of another process is waited for. Where there is room only without the claims of other launches, the call
 * looks again for a while, a second in all calls of a process. */
PEN_CHECKED pen_status pen_shm_capacity_check(pen_comm *comm, pen_status mine, bool shared, int64_t bytes,
                                              pen_shm_capacity *capacity);

/* Local, once all ranks have touched their memory. */
void pen_shm_capacity_release(pen_shm_capacity *capacity);

/* Local. Touch all pages of these bytes. A page that the folder has no space for would later end the program by SIGBUS;
 * PEN_ERR_ENVIRONMENT reports it, where the system can tell (Linux 5.14 and later). */
PEN_CHECKED pen_status pen_shm_capacity_touch(void *begin, int64_t bytes);
