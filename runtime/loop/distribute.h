/* distribute.h - distributes the graph of a run that is being created. */
#pragma once

#include "run/state.h"

/* Collective, of a run that has adopted the options. Give the nodes of the graph their owners, slots and halos. */
PEN_CHECKED pen_status pen_run_distribute(pen_run *run, const pen_graph *graph, const pen_run_options *options);
