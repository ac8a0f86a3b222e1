/* leftovers.h - shared memory that killed runs have left behind. */
#ifndef PEN_LEFTOVERS_H
#define PEN_LEFTOVERS_H

/* Where that is; and how files of ours are called there, which have a name for a moment only. */
#define PEN_LEFTOVERS_FOLDER "/dev/shm"
#define PEN_LEFTOVERS_BOARD "penumbra_board."

/* Local. Open MPI 4 keeps 4 MiB per rank, and the windows of a host, in files of /dev/shm, and whoever kills mpirun and
 * ranks by SIGKILL leaves them there for good, until no run fits any more; MPICH leaves one
 * file, and we (observe/board.h), where that hits the moment. Removes those in `folder` that are this user's and that
 * no process has open or mapped, be it of another container, as the kernel says. Leaves alone files of the last
 * seconds, which their makers may be about to open; and all where another process is at it. */
void pen_leftovers_remove(const char *folder);

#endif
