/* frame.h - pictures of a run, a file each. */
#ifndef FRAME_H
#define FRAME_H

#include <penumbra.h>

/* Print the picture of what `what` points to. */
typedef void pen_frame_fn(FILE *out, const void *what);

/* Collective, in pen_app.output. Write `folder`/`name`, as pen_run_write does, with what `draw` prints; it is called on
 * rank 0, if what != NULL there. The folder is made where there is none. Errors: those of pen_run_write. */
pen_status pen_frame_write(pen_run *run, const char *folder, const char *name, pen_frame_fn *draw, const void *what);

#endif
