/* advice.h - advice at the end of a run: a transport that would have made it faster. */
#pragma once

#include "base/per_rank.h"
#include "run/state.h"

/* Collective, after all other uses of a run: it has no records afterwards, and can only be destroyed. If communication
 * took most of the time of the steps, and the steps took so long that a trial does not matter (less than 1 % of it),
 * time idle pulls with other transports, and print a line to the run's output if one of them would have halved it.
 * Waiting for slower ranks counts as communication, but idle pulls have none: nothing is printed if they explain less
 * than half of it. `wanted`: nothing is printed unless all ranks want it. A failure ends the trial without a line. */
void pen_advise(pen_run *run, bool wanted);

/* Limits that tests change: the largest part of the time of the steps that a trial may take, and the largest ratio of
 * another transport's time to the present one's. */
extern PEN_PER_RANK double pen_advice_part, pen_advice_ratio;
