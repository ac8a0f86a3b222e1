/* shards.h - a checkpoint in the memory of hosts. Each host has its own part and a copy of the previous host's
 * (location.h). */
#pragma once

#include "checkpoint/file.h"

/* Collective over the lowest ranks of two or more hosts, ordered by host. Send this host's file to the next host, which
 * stores it as *copy, a temporary file for `path` (pen_checkpoint_finish). `mine` is the status so far on all ranks of
 * `comm`, which agree within; only the lowest ranks have a communicator. Errors as of pen_checkpoint_write. */
PEN_CHECKED pen_status pen_shards_copy(pen_comm *comm, MPI_Comm lowest, const pen_new_file *own, const char *path,
                                       pen_status mine, pen_new_file *copy);

/* Collective. Read a checkpoint from its parts: paths[0] is this host's own, paths[1] the copy; either may be missing.
 * checkpoint->path is set already. pen_checkpoint_close frees the result, also after a failure. A damaged file counts
 * as missing, and a line reports it. Errors as of pen_checkpoint_open; PEN_ERR_INPUT if parts are missing. */
PEN_CHECKED pen_status pen_shards_read(pen_comm *comm, char *const paths[2], pen_checkpoint *checkpoint);
