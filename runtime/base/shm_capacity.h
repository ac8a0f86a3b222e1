/* shm_capacity.h - checks that shared memory has the capacity for the memory that the ranks of a host are about to
 * allocate. MPI libraries do not fail cleanly without it: one rank gets an error, and the others wait for it
 * forever. */
#pragma once

#include "base/comm.h"

/* A launch's claim on space of this host: other launches count it as taken. */
typedef struct pen_shm_capacity {
    int folder; /* descriptor on a host's lowest rank; -1: there is no claim */
} pen_shm_capacity;

/* Collective. `mine` is this rank's status so far. `bytes` is the memory that it is about to allocate: memory that all
 * ranks of its host map (`shared`), or its own. PEN_ERR_ENVIRONMENT: the folder, the largest file or the address space
 * of some rank is too small; the message has a remedy. Otherwise the space is claimed until pen_shm_capacity_release.
 * The call does not wait for a lock of another process. If there is room only without the claims of other launches, the
 * call tries again, as long as pen_shm_capacity_may_wait permits; then these claims do not count. */
PEN_CHECKED pen_status pen_shm_capacity_check(pen_comm *comm, pen_status mine, bool shared, int64_t bytes,
                                              pen_shm_capacity *capacity);

/* Local. Permit the next calls to wait for other launches, a second in all, with one line on standard error when they
 * begin; or not, as at first. Only the set-up of a run waits. */
void pen_shm_capacity_may_wait(bool may);

/* Local. Release the claim, after all ranks have touched their memory. */
void pen_shm_capacity_release(pen_shm_capacity *capacity);

/* Local. Touch all pages of these bytes. A page for which the folder has no space would later end the program by
 * SIGBUS; PEN_ERR_ENVIRONMENT reports it, if the system can tell (Linux 5.14 and later). */
PEN_CHECKED pen_status pen_shm_capacity_touch(void *begin, int64_t bytes);
