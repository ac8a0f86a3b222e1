/* steps.h - the steps of a run: phases, and all that happens after them. */
#ifndef PEN_STEPS_H
#define PEN_STEPS_H

#include "run/state.h"

/* Collective, before the first step. First values of all fields, and the first shadows of all that is ever read. */
void pen_run_initialize(pen_run *run);

#endif
