/* results.h - what an N-body run shows besides its numbers: how good forces are, and pictures. */
#ifndef NBODY_RESULTS_H
#define NBODY_RESULTS_H

#include "apps/nbody/settings.h"

#include <penumbra.h>

/* Local. What all pictures of a run show, by the bodies at its start. False: no memory. */
bool pen_nbody_choose_view(nbody *s);

/* Collective: pen_app.output. */
pen_status pen_nbody_output(pen_run *run, int64_t step, void *params, FILE *out);

#endif
