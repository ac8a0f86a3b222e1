/* start_mpi.c - starts MPI in a tool of one process. */
#include "tools/common/start_mpi.h"
#include "base/comm.h"
#include "base/environment.h"
#include "base/finalize.h"
#include "partition/partition.h"
#include <penumbra.h>

#include <stdlib.h>

pen_status pen_start_mpi(void)
{
    int started;
    PEN_MPI(MPI_Initialized(&started));
    if (started) return PEN_OK;
    if (!getenv("OMPI_COMM_WORLD_SIZE")) pen_environment_alone();
    pen_environment_prepare();
    PEN_MPI(MPI_Init(NULL, NULL));
    if (atexit(pen_finalize) != 0) return pen_fail(PEN_ERR_MEMORY, "out of memory");
    return PEN_OK;
}

pen_status pen_open_machine(const char *name, int parts, pen_machine **machine)
{
    pen_comm *comm = NULL;
    PEN_TRY(pen_start_mpi());
    PEN_TRY(pen_comm_create(MPI_COMM_SELF, &comm));
    pen_status status = pen_machine_open(comm, name, parts, machine);
    pen_comm_destroy(&comm);
    return status;
}
