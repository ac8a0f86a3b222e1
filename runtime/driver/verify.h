/* verify.h - the serial recomputation behind --verify. */
#ifndef PEN_VERIFY_H
#define PEN_VERIFY_H

#include "run/state.h"

/* Collective. Gather the graph on rank 0, run the application there by a plain loop over plain arrays
 * (no slots, windows, shadows or transports), for as many steps as the run has done, and compare
 * every node's text and every observable's last value. *differences: how many lines differ; the
 * first is put into words in `message` [size], on all ranks. */
PEN_CHECKED pen_status pen_verify(pen_run *run, const pen_graph *graph, int64_t *differences, char *message,
                                  size_t size);

#endif
