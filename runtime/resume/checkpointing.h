/* checkpointing.h - checkpoints of a run while it goes: when they are due, where they go, and which stay. */
#ifndef PEN_CHECKPOINTING_H
#define PEN_CHECKPOINTING_H

#include "resume/resume.h"

typedef struct pen_checkpointing pen_checkpointing;

/* What has become of the checkpoints so far; equal on all ranks. */
typedef struct pen_checkpointing_totals {
    int64_t written, failed, bytes; /* bytes of all that were written */
    double seconds;                 /* maximum over ranks, of all together */
} pen_checkpointing_totals;

/* Local. What the options say, before anything is done: PEN_ERR_INPUT. */
PEN_CHECKED pen_status pen_checkpointing_check(const pen_run_options *options);

/* Collective. Take the locks of the options' folder (checkpoint/location.h), and look at what is in it: generations
 * that the run was not resumed from are somebody's, and refused; `resume` may be NULL. From then on SIGUSR1 and SIGTERM
 * ask for a checkpoint. *checkpointing is NULL where no folder is named. PEN_ERR_INPUT, PEN_ERR_IO, PEN_ERR_MEMORY,
 * PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_checkpointing_create(pen_comm *comm, const pen_run_options *options,
                                                const pen_resume *resume, pen_checkpointing **checkpointing);

/* Collective. NULL is legal. What is in memory is removed where the run is `over`, unless pen_checkpointing_stay,
 * Local, was called: something is yet to be done with it. */
void pen_checkpointing_destroy(pen_checkpointing **checkpointing, bool over);
void pen_checkpointing_stay(pen_checkpointing *checkpointing);

/* Local, before steps: who calls for them may have taken a long time since the last ones. */
void pen_checkpointing_begin(pen_checkpointing *checkpointing, int64_t step);

/* Collective, after a step, of a run with a checkpointing. Write what is due; into a folder also the state of a run
 * that is over. A checkpoint that cannot be written is told in a line, those before it stay, and the run goes on.
 * PEN_ERR_STOPPED: the run was asked to end, and is saved; PEN_ERR_IO: it was, and is not; PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_checkpointing_step(pen_run *run);

pen_checkpointing_totals pen_checkpointing_so_far(const pen_checkpointing *checkpointing);

#endif
