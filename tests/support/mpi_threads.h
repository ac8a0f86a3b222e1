/* mpi_threads.h - as much of MPI as a run calls, with threads of one process for ranks, so that a tool that looks for
 * races between threads finds those between ranks.
 *
 * The functions stand in for the MPI library's, of which Open MPI's header and predefined handles are all that is used;
 * one that is not here ends in the library's complaint that it was not initialised. They order memory where MPI does,
 * and nowhere else: a message only from sender to receiver, a window's memory by epochs alone. So there are no locks,
 * which would put everybody in order with everybody. A get is carried out when it is issued or when its epoch ends, at
 * random; other calls, too, take longer at random. */
#pragma once

#include <mpi.h>

enum { MPI_THREADS_MOST = 8 }; /* ranks */

/* Run a function in so many threads, on as many hosts as are said, and wait for all; each gets MPI_COMM_WORLD as
 * `world`, and `seed` chooses what is random. */
void mpi_threads_run(int ranks, int hosts, unsigned seed, void (*rank_main)(MPI_Comm world, void *context),
                     void *context);

/* In a rank: take longer, at random. */
void mpi_threads_dawdle(void);

/* In a rank: a random number below `below` > 0. */
unsigned mpi_threads_draw(unsigned below);
