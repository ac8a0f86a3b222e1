/* mpi_threads.h - the part of MPI that a run uses, with threads of one process as ranks, so that a detector of races
 * between threads finds those between ranks.
 *
 * The functions replace the MPI library's; only Open MPI's header and predefined handles are used. A call of another
 * MPI function ends in the library's complaint that it was not initialised. The functions order memory where MPI does,
 * and nowhere else: a message only from sender to receiver, a window's memory by epochs alone. So they use no locks,
 * which would order all threads. A get is carried out when it is issued or when its epoch ends, at random; other calls,
 * too, are delayed at random. */
#pragma once

#include <mpi.h>

enum { MPI_THREADS_MOST = 8 }; /* ranks */

/* Run a function in that many threads, on that many hosts, and wait for all; each gets MPI_COMM_WORLD as `world`, and
 * `seed` determines random choices. */
void mpi_threads_run(int ranks, int hosts, unsigned seed, void (*rank_main)(MPI_Comm world, void *context),
                     void *context);

/* In a rank: take longer, at random. */
void mpi_threads_dawdle(void);

/* In a rank: a random number below `below` > 0. */
unsigned mpi_threads_draw(unsigned below);
