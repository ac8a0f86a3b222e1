/* drawn_case.h - runs of drawn programs (drawn.h), with what can happen to a run: moves, balancing, changes of
 * the graph, records and globals that are put, checkpoints; compared with the serial computation. */
#pragma once

#include "tests/support/drawn.h"

#include <mpi.h>

/* What the cases of a test have done. */
typedef struct drawn_tally {
    int64_t computed, needed; /* nodes of phases, and those that had to run */
} drawn_tally;

/* Collective. Run the case of that seed, with files in a folder. False if a rank finds a difference, after a line on
 * standard error. `off`: without active sets. `tally` may be NULL. */
bool drawn_case_run(MPI_Comm comm, uint64_t seed, const char *folder, bool off, drawn_tally *tally);
