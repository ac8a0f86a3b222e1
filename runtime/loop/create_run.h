/* create_run.h - creates a run from its sources. */
#pragma once

#include "loop/adopt.h"

/* Collective. Like pen_run_create and pen_run_load. The caller frees the checkpoint afterwards. */
PEN_CHECKED pen_status pen_run_make(MPI_Comm comm, const pen_source *from, const pen_run_options *options,
                                    pen_run **run);
