/* window.h - the memory that has the node data of a run, in one window.
 *
 * On one host the window comes from MPI_Win_allocate_shared, which measurements show to work where MPI_Win_allocate
 * does not, and to be faster. Across hosts it comes from MPI_Win_allocate. If MPI offers neither, private memory
 * serves the two-sided transports. A transport that loads from its neighbours' planes has, across hosts, memory that
 * is shared within each host (MPI_Win_allocate_shared on the ranks of a host). This file aligns the segment
 * of each rank, since MPI does not: bases from Open MPI's osc/sm are odd multiples of 8. */
#pragma once

#include "base/comm.h"
#include "base/environment.h"

enum { PEN_CACHE_LINE = 64 };

typedef struct pen_window {
    pen_window_kind kind;
    MPI_Win mpi;         /* the MPI window; MPI_WIN_NULL if the memory is private */
    unsigned char *base; /* aligned address of `bytes` of payload */
    int64_t bytes;
    bool sleeping_fences; /* waiting in fences sleeps, as pen_comm.sleeping_fences asked */
    int64_t shift;        /* offset of base from the address that MPI calls displacement 0 of this rank */
    void *private_memory;
} pen_window;

/* Collective. Allocate `bytes` of zeroed payload on this rank; ranks may differ. The owner touches each page. Errors
 * are agreed; after an error *window is zeroed. */
PEN_CHECKED pen_status pen_window_create(pen_comm *comm, pen_window_kind kind, int64_t bytes, pen_window *window);

/* Collective. */
void pen_window_destroy(pen_window *window);

/* Local. Find the payload of another rank, for loads, in a window of shared memory. `shift` is that rank's; `rank` is
 * its number in the window's communicator, which is that of the host for PEN_WINDOW_HOSTS. Errors: PEN_ERR_MPI. */
PEN_CHECKED pen_status pen_window_direct(const pen_window *window, int rank, int64_t shift, unsigned char **payload);

static inline unsigned char *pen_window_payload(const pen_window *window) { return window->base; }
