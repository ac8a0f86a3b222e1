/* observables.h - what the application observes, after every step. */
#ifndef PEN_OBSERVABLES_H
#define PEN_OBSERVABLES_H

#include "run/state.h"

/* Collective, after the phases of a step. Observe all nodes into run->observation, and add the values to
 * run->series. PEN_ERR_MEMORY, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_run_observe(pen_run *run);

#endif
