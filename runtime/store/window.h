/* window.h - the one piece of memory that a run keeps its node data in.
 *
 * On one host it is MPI_Win_allocate_shared (measured to work where MPI_Win_allocate does not, and
 * to be faster), across hosts MPI_Win_allocate; where MPI offers neither it is private memory, good
 * for two-sided transports only. A run that loads from its neighbours' planes across several hosts has
 * memory shared within each (MPI_Win_allocate_shared on the ranks of a host). Every rank's segment begins with a
 * header, aligned by us: MPI's own bases are not (Open MPI's osc/sm returns bases that are odd multiples of 8). */
#pragma once

#include "base/comm.h"
#include "base/environment.h"

#include <stdatomic.h>

enum { PEN_CACHE_LINE = 64, PEN_WINDOW_HEADER = 2 * PEN_CACHE_LINE };

/* What peers may look at directly where memory is shared. Alone in its cache line. */
typedef struct pen_window_header {
    _Atomic uint64_t ready; /* how many times this rank has published */
} pen_window_header;

typedef struct pen_window {
    pen_window_kind kind;
    MPI_Win mpi;         /* MPI_WIN_NULL where private */
    unsigned char *base; /* aligned; the header, then `bytes` of payload */
    int64_t bytes;
    int64_t shift; /* base minus what MPI calls displacement 0 of this rank */
    void *private_memory;
} pen_window;

/* Collective. `bytes` of zeroed payload on this rank (may differ between ranks), every page touched
 * by its owner. Errors are agreed; the window is then zeroed. */
PEN_CHECKED pen_status pen_window_create(pen_comm *comm, pen_window_kind kind, int64_t bytes, pen_window *window);

/* Collective. */
void pen_window_destroy(pen_window *window);

/* Local. The payload of another rank, to load from; NULL where memory is not shared with it.
 * `shift` is that rank's; `rank` is its number in the window's communicator, which is that of the host
 * for PEN_WINDOW_HOSTS. */
unsigned char *pen_window_direct(const pen_window *window, int rank, int64_t shift);

static inline unsigned char *pen_window_payload(const pen_window *window) { return window->base + PEN_WINDOW_HEADER; }
static inline pen_window_header *pen_window_header_of(unsigned char *payload)
{
    return (pen_window_header *)(void *)(payload - PEN_WINDOW_HEADER);
}
