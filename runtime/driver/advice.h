/* advice.h - what would have made a run faster, told at its end. */
#pragma once

#include "base/per_rank.h"
#include "run/state.h"

/* Collective, when all else is done with a run: it has no records afterwards, and can only be destroyed. If
 * communication took most of the time of the steps, and the steps took so long that a trial does not matter (less than
 * 1 % of it), time idle pulls with other transports, and print a line to the run's output if one of them would have
 * halved it. Waiting for slower ranks counts as communication, but idle pulls have none: nothing is printed if they
 * explain less than half of it. A second line tells if some rank waited for a processor in most of
 * the time, of a second at least. `wanted`: by all ranks, or nothing is done. A failure ends the trial without a line.
 */
void pen_advise(pen_run *run, bool wanted);

/* Tests change these: the part of the time of the steps that a trial may take, the most that another transport may take
 * of the present one's time, and the shortest time of steps in which waiting for a processor is told. */
extern PEN_PER_RANK double pen_advice_part, pen_advice_ratio, pen_advice_seconds;
