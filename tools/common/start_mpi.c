/* start_mpi.c - starts MPI in a tool of one process. */
#include "tools/common/start_mpi.h"
#include "base/comm.h"
#include "base/finalize.h"
#include "partition/partition.h"
#include <penumbra.h>

#include <stdlib.h>

pen_status pen_start_mpi(void)
{
    int started;
    PEN_MPI(MPI_Initialized(&started));
    if (started) return PEN_OK;
    if (!getenv("OMPI_COMM_WORLD_SIZE")) {
        /* Settings of Open MPI without mpiexec. It would start a helper and look for networks, which takes longer than
         * most graphs. Without the helper, processes would share a session directory, and remove it while others use
         * it. */
        static const char *const settings[][2] = {
            { "OMPI_MCA_ess_singleton_isolated", "1" },
            { "OMPI_MCA_orte_create_session_dirs", "0" },
            { "OMPI_MCA_sharedfp", "^sm" },
            { "OMPI_MCA_pml", "ob1" },
            { "OMPI_MCA_btl", "self" },
        };
        for (int i = 0; i < PEN_COUNT_OF(settings); i++) setenv(settings[i][0], settings[i][1], 0);
    }
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
