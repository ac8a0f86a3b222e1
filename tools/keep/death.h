/* death.h - how a run has ended: by what its launcher and itself have said, and by the exit status. All Local. */
#ifndef PEN_KEEP_DEATH_H
#define PEN_KEEP_DEATH_H

#include "base/status.h"

enum { PEN_DEATH_TEXT = 256, PEN_DEATH_HOSTS = 16 };

typedef struct death {
    const char *name; /* of the program (line.h) */
    bool again;       /* it was not the first start */
    int status;       /* as waitpid has it */
    double seconds;
    bool killed, lost, own, busy; /* what was said: that a rank died, or a host; that the program chose its status; that
                                     checkpoints are locked */
    char told[PEN_DEATH_TEXT];    /* what says most */
    char hosts[PEN_DEATH_HOSTS][PEN_DEATH_TEXT]; /* [host_count] on which something died */
    int host_count;
} death;

/* Look at a line that launcher or program has printed. For pen_job_run. */
void pen_death_hear(void *death, const char *text);

/* Whether the run died, and may be started again. Else it is done (0), has found a mistake (1), was used wrongly (2),
 * or was told to end, and saved (4).
 *
 * Launchers end with the status of a rank; but those of Open MPI and MPICH end with 1 to 4 for reasons of their own,
 * too, and tell: Open MPI's 1 is a rank that left without MPI_Finalize, a lost host or a signal to mpirun itself unless
 * "Exit code: 1" says that it is the program's; Open MPI 5's may be 0 where a host is lost; MPICH's is the number of
 * the signal that killed a rank. */
bool pen_death_is(const death *d);

/* The exit status as a shell has it. */
int pen_death_shell_status(const death *d);

/* "exit status 137: ..." */
void pen_death_describe(const death *d, char *text, size_t room);

#endif
