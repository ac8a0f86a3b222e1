/* drawn.h - drawn programs (tests/support/drawn.h) among ranks in one process, compared with their serial
 * computation. */
#pragma once

#include "tests/explore/explored.h"

/* As explored_run. The seed draws the program; of the case's sizes the ranks and hosts count. */
int explored_run_drawn(const explored *e, const one_process *settings, one_process_result *result);
