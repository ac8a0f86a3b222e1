/* environment.c - the beginning, the end, and what asks about the environment. */
#include "tests/support/one_process/sim.h"

#include <stdlib.h>

/* ---- The environment ------------------------------------------------------------------------------------------------
 */

int MPI_Init_thread(int *count, char ***values, int required, int *provided)
{
    SIM_ENTER("MPI_Init_thread");
    if (sim_me->initialized) sim_wrong("MPI is initialised for the second time");
    sim_me->initialized = 1;
    *provided = required;
    return SIM_LEAVE();
}

int MPI_Init(int *count, char ***values)
{
    int provided;
    return MPI_Init_thread(count, values, MPI_THREAD_SINGLE, &provided);
}

int MPI_Finalize(void)
{
    SIM_ENTER("MPI_Finalize");
    sim_look_for_leaks();
    sim_go(sim_me->world, sim_come(sim_me->world, "MPI_Finalize", 0, NULL, 0, NULL, 0));
    sim_me->initialized = 2;
    return SIM_LEAVE();
}

/* A rank that does not call MPI_Init finds MPI initialised. */
int MPI_Initialized(int *flag)
{
    *flag = sim_me && (sim_me->initialized || !sim_expects_init);
    return MPI_SUCCESS;
}

int MPI_Finalized(int *flag)
{
    *flag = sim_me && sim_me->initialized == 2;
    return MPI_SUCCESS;
}

int MPI_Query_thread(int *level)
{
    *level = MPI_THREAD_MULTIPLE;
    return MPI_SUCCESS;
}

int MPI_Is_thread_main(int *flag)
{
    *flag = sim_me != NULL;
    return MPI_SUCCESS;
}

int MPI_Get_library_version(char *text, int *length)
{
    *length = snprintf(text, MPI_MAX_LIBRARY_VERSION_STRING, "one process");
    return MPI_SUCCESS;
}

int MPI_Get_processor_name(char *name, int *length)
{
    SIM_ENTER("MPI_Get_processor_name");
    *length = snprintf(name, MPI_MAX_PROCESSOR_NAME, "host%d", sim_me->host);
    return SIM_LEAVE();
}

int MPI_Error_string(int code, char *text, int *length)
{
    *length = snprintf(text, MPI_MAX_ERROR_STRING, "MPI error %d", code);
    return MPI_SUCCESS;
}

int MPI_Error_class(int code, int *class)
{
    *class = code;
    return MPI_SUCCESS;
}

double MPI_Wtime(void) { return sim.clock ? sim_me->time : 1e-9 * (double)sim_now(); }

int MPI_Abort(MPI_Comm comm, int code)
{
    fflush(NULL);
    _Exit(code);
}
