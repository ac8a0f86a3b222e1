/* ranking.c - sorts the arcs of all ranks, and finds the i-th one. */
#include "input/ranking.h"
#include "base/memory.h"
#include "base/sparse.h"
#include "graph/order.h"

#include <stdlib.h>

enum { SAMPLES = 64 /* approximate number of samples per rank */ };

/* A node as it is sent. After sorting, `arcs` becomes the number of arcs before the node's arcs. */
typedef struct node {
    pen_gid gid; /* the gid; the first member, because it is the sort key */
    int64_t arcs;
} node;

static pen_status sort(pen_lid count, const node *nodes, node *sorted)
{
    uint64_t *keys = NULL;
    pen_lid *order = NULL;
    pen_status status = PEN_ALLOC(&keys, count);
    if (status == PEN_OK) status = PEN_ALLOC(&order, count);
    for (pen_lid i = 0; status == PEN_OK && i < count; i++) keys[i] = (uint64_t)nodes[i].gid;
    if (status == PEN_OK) status = pen_order_by_key(count, keys, order);
    for (pen_lid i = 0; status == PEN_OK && i < count; i++) sorted[i] = nodes[order[i]];
    PEN_FREE_ALL(keys, order);
    return status;
}

/* ---- Distribution over the ranks ----------------------------------------------------------------- */

/* Collective. Gather a sample of all ranks' nodes, every stride-th one, and sort it. */
static pen_status gather_samples(pen_comm *comm, pen_lid count, const node *nodes, pen_gid **all, int64_t *total)
{
    int64_t whole, stride;
    int mine = 0, *counts = NULL, *begins = NULL;
    pen_gid *own = NULL;
    PEN_TRY(pen_sum_int(comm, count, &whole));
    stride = whole / ((int64_t)SAMPLES * comm->size) + 1;
    pen_status status = PEN_ALLOC(&own, count / stride + 1);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&counts, comm->size);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&begins, comm->size);
    for (int64_t i = stride / 2; status == PEN_OK && i < count; i += stride) own[mine++] = nodes[i].gid;
    PEN_TRY(pen_sum_int(comm, mine, total));
    if (status == PEN_OK) status = PEN_ALLOC(all, *total + 1);
    status = pen_agree(comm, status);
    if (status == PEN_OK) {
        PEN_MPI(MPI_Allgather(&mine, 1, MPI_INT, counts, 1, MPI_INT, comm->mpi));
        for (int r = 1; r < comm->size; r++) begins[r] = begins[r - 1] + counts[r - 1];
        PEN_MPI(MPI_Allgatherv(own, mine, PEN_MPI_GID, *all, counts, begins, PEN_MPI_GID, comm->mpi));
        if (*total > 0) qsort(*all, (size_t)*total, sizeof **all, pen_by_gid);
    }
    PEN_FREE_ALL(own, counts, begins);
    return status;
}

/* Local. Assign nodes to ranks; samples separate the ranks' nodes. */
static pen_status deal_out(const pen_comm *comm, pen_lid count, const node *nodes, const pen_gid *samples,
                           int64_t total, pen_blocks *send)
{
    int *to, rank = 0;
    PEN_TRY(PEN_ALLOC(&to, count));
    for (pen_lid i = 0; i < count; i++) {
        while (rank + 1 < comm->size && total > 0 && nodes[i].gid > samples[total * (rank + 1) / comm->size]) rank++;
        to[i] = rank;
    }
    pen_status status = pen_blocks_group(count, to, nodes, sizeof *nodes, send, NULL);
    free(to);
    return status;
}

/* Collective. Sort the nodes of all ranks; *here becomes this rank's part, ascending. */
static pen_status sort_over_ranks(pen_comm *comm, pen_lid count, const node *sorted, node **here, pen_lid *got)
{
    pen_gid *samples = NULL;
    int64_t total = 0;
    pen_blocks send = { 0 }, received = { 0 };
    pen_status status = gather_samples(comm, count, sorted, &samples, &total);
    if (status == PEN_OK) {
        status = pen_sparse_exchange(comm, deal_out(comm, count, sorted, samples, total, &send), &send, &received);
        pen_blocks_free(&send);
    }
    free(samples);
    PEN_TRY(status);
    int64_t bytes = pen_blocks_bytes(&received);
    status = pen_to_lid(bytes / (int64_t)sizeof **here, "nodes", got);
    if (status == PEN_OK) status = PEN_ALLOC(here, *got);
    if (status == PEN_OK) status = sort(*got, (const node *)(const void *)received.data, *here);
    pen_blocks_free(&received);
    return pen_agree(comm, status);
}

/* ---- The ranking --------------------------------------------------------------------------------- */

static pen_status fill(pen_ranking *r, const node *nodes)
{
    PEN_TRY(PEN_ALLOC(&r->gids, r->count));
    PEN_TRY(PEN_ALLOC(&r->arcs, (int64_t)r->count + 1));
    PEN_TRY(PEN_ALLOC_ZERO(&r->begins, (int64_t)r->comm->size + 1));
    r->arcs[0] = 0;
    for (pen_lid i = 0; i < r->count; i++) {
        r->gids[i] = nodes[i].gid;
        r->arcs[i + 1] = r->arcs[i] + nodes[i].arcs;
    }
    return PEN_OK;
}

/* Collective. Number the arcs over all ranks. */
static pen_status place(pen_ranking *r)
{
    const int64_t arcs = r->arcs[r->count];
    PEN_MPI(MPI_Allgather(&arcs, 1, MPI_INT64_T, r->begins + 1, 1, MPI_INT64_T, r->comm->mpi));
    for (int rank = 0; rank < r->comm->size; rank++) r->begins[rank + 1] += r->begins[rank];
    for (pen_lid i = 0; i <= r->count; i++) r->arcs[i] += r->begins[r->comm->rank];
    return PEN_OK;
}

/* Collective. Rank the `count` nodes of this rank. */
static pen_status rank_nodes(pen_ranking *r, pen_lid count, node *nodes, node *sorted)
{
    node *here = NULL;
    pen_status status = pen_agree(r->comm, sort(count, nodes, sorted));
    if (status == PEN_OK) status = sort_over_ranks(r->comm, count, sorted, &here, &r->count);
    if (status == PEN_OK) status = pen_agree(r->comm, fill(r, here));
    free(here);
    return status == PEN_OK ? place(r) : status;
}

pen_status pen_ranking_create(pen_comm *comm, pen_lid count, const pen_gid *gids, const int64_t *degrees,
                              pen_ranking *ranking)
{
    node *nodes = NULL, *sorted = NULL;
    *ranking = (pen_ranking){ .comm = comm };
    pen_status status = PEN_ALLOC(&nodes, count);
    if (status == PEN_OK) status = PEN_ALLOC(&sorted, count);
    for (pen_lid i = 0; status == PEN_OK && i < count; i++) nodes[i] = (node){ gids[i], degrees[i] };
    status = pen_agree(comm, status);
    if (status == PEN_OK) status = rank_nodes(ranking, count, nodes, sorted);
    PEN_FREE_ALL(nodes, sorted);
    return status;
}

void pen_ranking_free(pen_ranking *r) { PEN_FREE_ALL(r->gids, r->arcs, r->begins); }

/* ---- Names of arcs ------------------------------------------------------------------------------- */

typedef struct question {
    int64_t first, count;
} question;

/* The index of the last range that begins at or before `at`. */
static int64_t find_begin(const int64_t *begins, int64_t count, int64_t at)
{
    int64_t low = 0, high = count;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (begins[middle] <= at) low = middle;
        else high = middle;
    }
    return low;
}

static pen_status build_request(const pen_ranking *r, int64_t first, int64_t count, pen_blocks *send, int64_t **bytes)
{
    const int64_t *begins = r->begins, end = first + count;
    const int ranks = r->comm->size;
    int low = 0, asked = 0, *to = NULL;
    question *questions = NULL;
    pen_status status = PEN_ALLOC(&questions, ranks);
    if (status == PEN_OK) status = PEN_ALLOC(&to, ranks);
    if (status == PEN_OK) status = PEN_ALLOC(bytes, ranks);
    if (count > 0) low = (int)find_begin(begins, ranks, first);
    for (int rank = low; status == PEN_OK && rank < ranks && begins[rank] < end && count > 0; rank++) {
        int64_t from = begins[rank] > first ? begins[rank] : first, to_end = begins[rank + 1];
        if (to_end > end) to_end = end;
        if (to_end <= from) continue;
        to[asked] = rank;
        questions[asked] = (question){ from, to_end - from };
        (*bytes)[asked++] = 8 * 2 * (to_end - from);
    }
    if (status == PEN_OK) status = pen_blocks_group(asked, to, questions, sizeof *questions, send, NULL);
    PEN_FREE_ALL(questions, to);
    return status;
}

/* Reply with the gid and the index in its row for each requested arc. */
static void reply(const pen_ranking *r, pen_inquiry *inquiry)
{
    const question *asked = (const question *)(const void *)inquiry->received.data;
    int64_t *to = (int64_t *)(void *)inquiry->outgoing.data;
    for (int b = 0; b < inquiry->received.count; b++) {
        const int64_t first = asked[b].first, end = first + asked[b].count;
        int64_t i = find_begin(r->arcs, (int64_t)r->count + 1, first);
        for (int64_t a = first; a < end; a++) {
            while (r->arcs[i + 1] <= a) i++;
            *to++ = r->gids[i];
            *to++ = a - r->arcs[i];
        }
    }
}

pen_status pen_ranking_name(const pen_ranking *r, pen_status mine, int64_t first, int64_t count, pen_gid *gids,
                            int64_t *places)
{
    pen_blocks send = { 0 };
    pen_inquiry inquiry;
    int64_t *bytes = NULL;
    if (mine == PEN_OK) mine = build_request(r, first, count, &send, &bytes);
    pen_status status = pen_sparse_request(r->comm, mine, &send, bytes, &inquiry);
    if (status == PEN_OK) {
        reply(r, &inquiry);
        status = pen_sparse_reply(r->comm, &inquiry);
    }
    const int64_t *told = (const int64_t *)(const void *)inquiry.replies.data;
    for (int64_t i = 0; status == PEN_OK && i < count; i++) {
        gids[i] = told[2 * i];
        places[i] = told[2 * i + 1];
    }
    free(bytes);
    pen_blocks_free(&send);
    pen_inquiry_free(&inquiry);
    return status;
}
