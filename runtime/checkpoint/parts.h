/* parts.h - a checkpoint in the memory of hosts, of which each has a part and that of the host before (location.h). */
#pragma once

#include "checkpoint/file.h"

/* Collective, over the lowest ranks of two hosts or more, by host. This host's file goes to the host after it, where it
 * becomes *copy, beside `path` (pen_checkpoint_finish). `mine` is the status so far on all ranks of `comm`, which agree
 * within, and of which only those have a communicator. Errors as of pen_checkpoint_write. */
PEN_CHECKED pen_status pen_parts_copy(pen_comm *comm, MPI_Comm lowest, const pen_new_file *own, const char *path,
                                      pen_status mine, pen_new_file *copy);

/* Collective. Read a checkpoint from its parts: paths[0] is this host's own, paths[1] the copy, and neither needs to be
 * there. checkpoint->path is set already, and what stands there is freed by pen_checkpoint_close, also after a failure.
 * Errors as of pen_checkpoint_open; PEN_ERR_INPUT where parts are missing; of a file that is damaged a line is printed,
 * and it counts as missing. */
PEN_CHECKED pen_status pen_parts_read(pen_comm *comm, char *const paths[2], pen_checkpoint *checkpoint);
