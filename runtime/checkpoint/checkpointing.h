/* checkpointing.h - the checkpoints of a running run: when they are written, where, and which ones are kept. */
#pragma once

#include "checkpoint/resume.h"

/* The part that writes checkpoints. Their folder is locked (location.h). If the folder has a checkpoint that the run
 * was not resumed from, the run is not created, to protect that checkpoint. While there is such a run, SIGUSR1 and
 * SIGTERM request a checkpoint. When the run is over and destroyed, checkpoints in memory are removed. */
extern const pen_part pen_part_checkpoints;

/* Local. Catch SIGUSR1 from now on, in a program that is one run: a signal before the run exists requests a checkpoint
 * after its first step. Without checkpoints the signal has no effect. */
void pen_checkpointing_listen(void);

/* Local. Keep the checkpoints in memory when the run is destroyed. */
void pen_checkpointing_stay(pen_run *run);

/* Local, after steps. PEN_ERR_IO, PEN_ERR_MEMORY: the state after the last step should be in a folder, and could not be
 * written. Then the run is not marked as finished when it is destroyed. */
PEN_CHECKED pen_status pen_checkpointing_saved(const pen_run *run);
