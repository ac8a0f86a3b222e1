/* quality.c - how good a partition is, measured on the distributed graph as it is pulled. */
#include "base/memory.h"
#include "run/run.h"

#include <stdlib.h>

static pen_lid root(pen_lid *parent, pen_lid slot)
{
    while (parent[slot] != slot) slot = parent[slot] = parent[parent[slot]];
    return slot;
}

/* Connected parts of this rank's nodes, by union-find: works for directed graphs too. */
static pen_status count_pieces(const pen_store *store, int64_t *pieces)
{
    pen_lid *parent;
    PEN_TRY(PEN_ALLOC(&parent, store->owned));
    for (pen_lid s = 0; s < store->owned; s++) parent[s] = s;
    *pieces = store->owned;
    for (pen_lid s = 0; s < store->owned; s++)
        for (uint32_t a = store->rows[s]; a < store->rows[s + 1]; a++) {
            if (store->columns[a] >= store->owned) continue;
            pen_lid x = root(parent, s), y = root(parent, store->columns[a]);
            if (x == y) continue;
            parent[x] = y;
            --*pieces;
        }
    free(parent);
    return PEN_OK;
}

pen_status pen_quality_measure(pen_comm *comm, const pen_store *store, bool directed, pen_quality *quality)
{
    int64_t pieces = 0;
    PEN_TRY(pen_agree(comm, count_pieces(store, &pieces)));
    int64_t load = 0, heaviest = 0, cut = 0;
    for (pen_lid s = 0; s < store->owned; s++) {
        int64_t weight = store->node_weights ? store->node_weights[s] : 1;
        load += weight;
        if (weight > heaviest) heaviest = weight;
        for (uint32_t a = store->rows[s]; a < store->rows[s + 1]; a++)
            if (store->columns[a] >= store->owned) cut += store->edge_weights ? store->edge_weights[a] : 1;
    }
    int64_t sums[3] = { load, cut, pieces > 1 ? pieces - 1 : 0 }, maxima[3] = { load, heaviest, store->shadows };
    PEN_MPI(MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_INT64_T, MPI_SUM, comm->mpi));
    PEN_MPI(MPI_Allreduce(MPI_IN_PLACE, maxima, 3, MPI_INT64_T, MPI_MAX, comm->mpi));
    double mean = (double)sums[0] / comm->size;
    quality->cut = directed ? sums[1] : sums[1] / 2;
    quality->imbalance = mean > 0.0 ? (double)maxima[0] / mean : 1.0;
    quality->bound = mean > 0.0 && (double)maxima[1] > mean ? (double)maxima[1] / mean : 1.0;
    quality->max_volume = maxima[2];
    quality->pieces = sums[2];
    return PEN_OK;
}
