/* leftovers.h - shared memory that killed runs have left behind. */
#ifndef PEN_LEFTOVERS_H
#define PEN_LEFTOVERS_H

/* Local, before MPI_Init. Open MPI 4 keeps 4 MiB per rank in files of /dev/shm, and whoever kills mpirun and
 * ranks by SIGKILL leaves them there for good, until no run fits any more. Removes those in `folder` that are
 * this user's and that no process has open or mapped, be it of another container, as the kernel says. Leaves alone
 * files of the last seconds, which their makers may be about to open; and all where another process is at it. */
void pen_leftovers_remove(const char *folder);

#endif
