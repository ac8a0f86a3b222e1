/* fence.c - two fences per publishing phase around the gets. The plain back-end: the others are
 * tested against it. */
#include "halo.h"

/* Both fences carry no assertions: Open MPI's shared components ignore them, and NOSTORE would be a
 * lie, since interior nodes are stored between the two. */
static void fence(pen_halo *halo)
{
    PEN_STEP_MPI(MPI_Win_fence(0, halo->store->window.mpi));
    halo->syncs++;
}

static void get(pen_halo *halo, const pen_producer *producer, int field, const pen_pull_run *run)
{
    /* An MPI count is an int; a run of large records may be longer. */
    enum { LONGEST = 1 << 30 };
    int64_t size = (int64_t)halo->store->sizes[field] * run->count;
    unsigned char *to = pen_halo_next(halo, field, run->to);
    MPI_Aint from = (MPI_Aint)(producer->neighbor->shift + PEN_WINDOW_HEADER + pen_halo_next_offset(halo, producer, field, run->from));
    for (int64_t done = 0; done < size; done += LONGEST) {
        int bytes = size - done < LONGEST ? (int)(size - done) : LONGEST;
        PEN_STEP_MPI(MPI_Get(to + done, bytes, MPI_BYTE, producer->neighbor->rank, from + (MPI_Aint)done, bytes, MPI_BYTE,
                             halo->store->window.mpi));
        halo->gets++;
        halo->bytes += bytes;
    }
}

static void begin(pen_halo *halo, uint64_t pull)
{
    fence(halo);
    for (int i = 0; i < halo->store->producer_count; i++) {
        const pen_producer *producer = &halo->producers[i];
        for (int f = 0; f < halo->store->field_count; f++)
            for (int r = 0; pull >> f & 1 && r < producer->run_count; r++) get(halo, producer, f, &producer->runs[r]);
    }
}

static void end(pen_halo *halo, uint64_t pull)
{
    (void)pull;
    fence(halo);
}

const pen_transport pen_transport_fence = {
    .name = "fence",
    .summary = "gets between two fences (default)",
    .one_sided = true,
    .overlaps = true,
    .begin = begin,
    .end = end,
};
