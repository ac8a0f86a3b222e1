/* results.h - what an N-body run tells at its end: how good forces are, and memory. */
#ifndef NBODY_RESULTS_H
#define NBODY_RESULTS_H

#include "apps/nbody/settings.h"

#include <penumbra.h>

/* Collective: pen_app.output. */
pen_status pen_nbody_output(pen_run *run, int64_t step, void *params, FILE *out);

#endif
