/* start_mpi.h - the library in a tool that runs as one process. Local. */
#pragma once

#include "base/status.h"

/* Before any call of the library: MPI in this process alone, until the program ends. May be called again. */
PEN_CHECKED pen_status pen_start_mpi(void);
