/* stale_shm.h - removes stale shared memory of killed runs. */
#pragma once

/* The folder of shared memory, and the beginning of the names of our own files there. Such a name exists only briefly.
 */
#define PEN_STALE_SHM_FOLDER "/dev/shm"
#define PEN_STALE_SHM_BOARD "penumbra_board."

/* Local. Remove the stale files of this user in `folder`. Open MPI 4 keeps 4 MiB per rank and the windows of a host in
 * files of /dev/shm. If mpirun and the ranks are killed by SIGKILL, these files stay, until no run fits any more. MPICH
 * leaves one file, and this library leaves one (debug/status_board.h) if it is killed at the wrong moment. A file is
 * stale if no process has it open or mapped, including processes of other containers, as far as the kernel shows them.
 * Files of the last seconds are kept, since their creators may be about to open them. Nothing is removed while another
 * process does this. */
void pen_stale_shm_remove(const char *folder);
