/* saver.h - checkpoints of a run while it goes: when they are due, where they go, and which stay. */
#ifndef PEN_SAVER_H
#define PEN_SAVER_H

#include "run/resume.h"

typedef struct pen_saver pen_saver;

/* What has become of the checkpoints so far; equal on all ranks. */
typedef struct pen_saver_totals {
    int64_t written, failed, bytes; /* bytes of all that were written */
    double seconds;                 /* maximum over ranks, of all together */
} pen_saver_totals;

/* Local. What the options say, before anything is done: PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_saver_check(const pen_run_options *options);

/* Collective. Take the locks of the options' folder (checkpoint/place.h), and look at what is in it: generations that
 * the run was not resumed from are somebody's, and refused; `resume` may be NULL. From then on SIGUSR1 and SIGTERM ask
 * for a checkpoint. *saver is NULL where no folder is named. PEN_ERR_INPUT, PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_saver_create(pen_comm *comm, const pen_run_options *options, const pen_resume *resume,
                                        pen_saver **saver);

/* Collective. NULL is legal. What is in memory is removed where the run is `over`, unless pen_saver_stay, Local, was
 * called: something is yet to be done with it. */
void pen_saver_destroy(pen_saver **saver, bool over);
void pen_saver_stay(pen_saver *saver);

/* Local, before steps: who calls for them may have taken a long time since the last ones. */
void pen_saver_begin(pen_saver *saver, int64_t step);

/* Collective, after a step, of a run with a saver. Write what is due; into a folder also the state of a run that is
 * over. A checkpoint that cannot be written is told in a
 * line, those before it stay, and the run goes on. PEN_ERR_STOPPED: the run was asked to end, and is saved; PEN_ERR_IO:
 * it was, and is not; PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_saver_step(pen_run *run);

pen_saver_totals pen_saver_so_far(const pen_saver *saver);

#endif
