/* oracle.h - the serial computation with which a run is compared: a plain loop over plain arrays on one rank, without
 * slots, windows, shadows or transports. */
#pragma once

#include "driver/oracle_graph.h"

/* Local. Compute as many steps as the run has done, or fewer if an observable ends the run, for a graph with these
 * rows. The result is in view, observation, shown.step and shown.end. Call pen_oracle_free also after a failure.
 * PEN_ERR_MEMORY, PEN_ERR_UNSUPPORTED, PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_oracle_compute(const pen_run *run, const pen_rows *rows, const pen_graph *graph,
                                          pen_oracle *oracle);
void pen_oracle_free(pen_oracle *oracle);
