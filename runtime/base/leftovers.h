/* leftovers.h - shared memory that killed runs have left behind. */
#ifndef PEN_LEFTOVERS_H
#define PEN_LEFTOVERS_H

/* Local, before MPI_Init. Open MPI 4 keeps 4 MiB per rank in files of /dev/shm, and whoever kills mpirun and
 * ranks by SIGKILL leaves them there for good, until no run fits any more. Removes those in `folder` that are
 * this user's and that no process has mapped. Does nothing where a process could be invisible: in a
 * PID namespace of its own, which may share /dev/shm with others; nor to a file of the last seconds, which
 * its maker may be about to map. */
void pen_leftovers_remove(const char *folder);

#endif
