/* start_mpi.h - starts the library in a tool of one process. Local. */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

/* Start MPI in this process alone, until the program ends; before any call of the library. May be called again. */
PEN_CHECKED pen_status pen_start_mpi(void);

/* Open a machine by name or path, with `parts` processors, or 0: all. Errors: as pen_machine_open. */
PEN_CHECKED pen_status pen_open_machine(const char *name, int parts, pen_machine **machine);
