/* processes.h - the processes that descend from this one, by /proc; where there is none, none are known. All Local. */
#ifndef PEN_KEEP_PROCESSES_H
#define PEN_KEEP_PROCESSES_H

#include "base/status.h"

#include <sys/types.h>

typedef struct process {
    pid_t pid, parent;
    bool ours, dead; /* dead: its parent has not asked for its status yet */
} process;

typedef struct processes {
    process *all; /* [count], of the host */
    int64_t count;
} processes;

/* *found is the caller's to free, by pen_processes_free, whatever the status. PEN_ERR_MEMORY. */
PEN_CHECKED pen_status pen_processes_read(processes *found);
void pen_processes_free(processes *found);

/* Whether it is ours, and a rank: it has what launchers put into the environment of ranks, and none of its children
 * has.
 */
bool pen_processes_is_rank(const processes *in, int64_t i);

#endif
