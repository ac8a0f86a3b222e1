/* job.h - a run as processes: the launcher, in a process group of its own, and all that descend from it here, which
 * become ours when those between have died. All Local; there is one job at a time. */
#ifndef PEN_KEEP_JOB_H
#define PEN_KEEP_JOB_H

#include "base/status.h"

/* Before the first job: from now on SIGHUP, SIGINT, SIGTERM, SIGUSR1 and SIGUSR2 are passed on to it. */
void pen_job_listen(void);

/* SIGHUP, SIGINT or SIGTERM, if one has come; else 0. */
int pen_job_told_to_end(void);

/* What a job prints goes to where ours goes, and line by line to `hear`. */
typedef struct job_listener {
    void (*hear)(void *context, const char *text);
    void *context;
} job_listener;

/* Start a command, and wait until it has ended; it reads nothing. *status is that of waitpid. Signals go to the ranks
 * that are on this host, where a rank can answer them (a launcher may pass on none, or wait no longer than a second);
 * where there are none, for SIGINT and SIGHUP, and from the second SIGTERM on, to the launcher. PEN_ERR_INPUT: it
 * cannot be started. */
PEN_CHECKED pen_status pen_job_run(char **words, const job_listener *to, int *status);

/* Kill what is left of it on this host, and wait until it is gone. False: something stays. */
bool pen_job_clear(void);

#endif
