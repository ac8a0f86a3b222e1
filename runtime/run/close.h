/* close.h - the end of a run. */
#pragma once

#include "run/state.h"

/* Collective, since store and halo have windows. Free everything of a run, but not the run itself. */
void pen_run_close(pen_run *run);
