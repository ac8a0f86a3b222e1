/* room.h - is there room for memory that the ranks of a host share? Looked at before MPI is asked for it, because MPI
 * libraries do not come back where there is not: one rank gets an error, and the others wait for it for ever. */
#ifndef PEN_ROOM_H
#define PEN_ROOM_H

#include "base/comm.h"

/* While one has it, no other launch on this host takes what was looked at. Launches on several hosts have none. */
typedef struct pen_room {
    int lock; /* of a host's lowest rank; -1: none */
} pen_room;

/* Collective. `mine` is this rank's status so far, `bytes` what it will ask for, in memory that all ranks of its host
 * map (`shared`) or for itself alone. PEN_ERR_ENVIRONMENT where the folder or some rank's address space has less room;
 * the sentence says what to do. Else other launches that come here wait, for some seconds at most, until
 * pen_room_leave. */
PEN_CHECKED pen_status pen_room_enter(pen_comm *comm, pen_status mine, bool shared, int64_t bytes, pen_room *room);

/* Local, once all ranks have touched what they have got. */
void pen_room_leave(pen_room *room);

/* Local. Touch all pages from `begin` on, of which those that the folder has no room for would end the program, by
 * SIGBUS: PEN_ERR_ENVIRONMENT, where the system can tell (Linux 5.14 and later). */
PEN_CHECKED pen_status pen_room_touch(void *begin, int64_t bytes);

#endif
