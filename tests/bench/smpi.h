/* smpi.h - included before all sources that smpi.py compiles for SimGrid's SMPI 3.32: its macro takes no compound
 * literals, and it calls only one of its processes the main thread. */
#include <mpi.h>
#undef nanosleep
#define nanosleep(...) smpi_nanosleep(__VA_ARGS__)
#define MPI_Is_thread_main(yes) (*(yes) = 1, MPI_SUCCESS)
