/* start_mpi.h - the library in a tool that runs as one process. Local. */
#pragma once

#include "base/status.h"
#include <penumbra_plugin.h>

/* Before any call of the library: MPI in this process alone, until the program ends. May be called again. */
PEN_CHECKED pen_status pen_start_mpi(void);

/* The machine of that name or path, of so many processors, or 0: of all its processors. As pen_machine_open. */
PEN_CHECKED pen_status pen_open_machine(const char *name, int parts, pen_machine **machine);
