/* frames.h - pictures of the mesh, of its parts and of the wave. */
#ifndef SHOCK_FRAMES_H
#define SHOCK_FRAMES_H

#include "apps/shock/settings.h"

/* For pen_app.output: with --frames a picture after every step, FOLDER/0000.svg after the first one. Collective. */
pen_status pen_shock_frame(pen_run *run, int64_t step, void *params, FILE *out);

#endif
