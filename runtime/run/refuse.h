/* refuse.h - says why requests for changes of the graph are refused. */
#pragma once

#include "run/state.h"

/* Collective, after requests were carried out or refused with `status`, which is equal on all ranks, and before they
 * are discarded. Returns it. For PEN_ERR_ARGUMENT it sets the message of the contradiction requested by the node (in
 * pen_run_change: the rank) with the lowest number, and adds that number, phase and step. It needs memory for all
 * requests on every rank; without it, it only adds phase and step. */
PEN_CHECKED pen_status pen_run_refused(pen_run *run, pen_status status);
