/* checkpointing.h - the checkpoints of a running run: when they are written, where, and which ones are kept. */
#pragma once

#include "checkpoint/resume.h"

typedef struct pen_checkpointing pen_checkpointing;

/* The checkpoints so far; equal on all ranks. */
typedef struct pen_checkpointing_totals {
    int64_t written, failed, bytes; /* bytes of all that were written */
    double seconds;                 /* maximum over ranks, of all together */
} pen_checkpointing_totals;

/* Local. Catch SIGUSR1 from now on, in a program that is one run: a signal before the run exists requests a checkpoint
 * after its first step. Without checkpoints the signal has no effect. */
void pen_checkpointing_listen(void);

/* Collective. Lock the options' folder (location.h), and look for checkpoints in it. If the folder has a
 * checkpoint that the run was not resumed from, the call fails, to protect it. `resume` may be NULL. From then on
 * SIGUSR1 and SIGTERM request a checkpoint. *checkpointing is NULL if the options name no folder. PEN_ERR_INPUT,
 * PEN_ERR_IO, PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_checkpointing_create(pen_comm *comm, const pen_checkpoint_options *options,
                                                const pen_resume *resume, pen_checkpointing **checkpointing);

/* Collective. NULL is legal. If the run is `over`, checkpoints in memory are removed, unless pen_checkpointing_stay
 * (Local) was called because they are still needed. */
void pen_checkpointing_destroy(pen_checkpointing **checkpointing, bool over);
void pen_checkpointing_stay(pen_checkpointing *checkpointing);

/* Local, after steps. PEN_ERR_IO, PEN_ERR_MEMORY: the state after the last step should be in a folder, and could not be
 * written. Then pen_checkpointing_destroy does not mark the run as finished. NULL is legal. */
PEN_CHECKED pen_status pen_checkpointing_saved(const pen_checkpointing *checkpointing);

/* Local, before steps: much time may have passed since the last ones. */
void pen_checkpointing_begin(pen_checkpointing *checkpointing, int64_t step);

/* Collective, after a step of a run that has a checkpointing. Writes a checkpoint if one is due, or if
 * an output has failed (run->unwritten), which ends the run. In a folder it also
 * writes the state of a run that is over. If a checkpoint cannot be written, a line on standard error says so,
 * previously written checkpoints remain intact, and the run continues. PEN_ERR_STOPPED: the run was asked to end,
 * and its state is written. PEN_ERR_IO: it was asked to end, and its state is not written. PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_checkpointing_step(pen_run *run);

pen_checkpointing_totals pen_checkpointing_so_far(const pen_checkpointing *checkpointing);
