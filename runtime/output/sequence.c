#include "output/sequence.h"
#include "base/memory.h"
#include "graph/graph.h"
#include "store/ordering.h"

#include <stdlib.h>

void pen_sequence_free(pen_sequence *s)
{
    PEN_FREE_ALL(s->starts, s->cuts, s->slots, s->places);
    *s = (pen_sequence){ .starts = NULL };
}

static pen_status allocate(const pen_comm *comm, const pen_store *store, pen_sequence *s)
{
    PEN_TRY(PEN_ALLOC(&s->starts, (int64_t)comm->size + 1));
    PEN_TRY(PEN_ALLOC_ZERO(&s->cuts, (int64_t)comm->size + 1));
    PEN_TRY(PEN_ALLOC(&s->slots, store->owned));
    return pen_ordering_by_gid(store, s->slots);
}

/* How many of this rank's gids are below that one. */
static int64_t count_below(const pen_store *store, const pen_sequence *s, pen_gid gid)
{
    int64_t low = 0, high = store->owned;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (store->gids[s->slots[middle]] < gid) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* ---- Where gids are not positions ------------------------------------------------------------------------ */

typedef struct bounds {
    pen_gid low, high; /* the first gid of a rank's part is in low..high */
    pen_gid middle;
} bounds;

/* Collective. Halve what the parts' first gids may be, all at once, until they are known: the least gids with as many
 * below them as the parts before have. counts is [ranks]. */
static pen_status find_parts(pen_comm *comm, const pen_store *store, pen_sequence *s, bounds *b, int64_t *counts)
{
    for (int r = 0; r < comm->size; r++) b[r] = (bounds){ 0, r > 0 ? s->largest + 1 : 0, 0 };
    for (bool open = true; open;) {
        for (int r = 0; r < comm->size; r++) {
            b[r].middle = b[r].low + (b[r].high - b[r].low) / 2;
            counts[r] = count_below(store, s, b[r].middle);
        }
        PEN_MPI(MPI_Allreduce(MPI_IN_PLACE, counts, comm->size, MPI_INT64_T, MPI_SUM, comm->mpi));
        open = false;
        for (int r = 0; r < comm->size; r++) {
            if (b[r].low == b[r].high) continue;
            if (counts[r] < s->starts[r]) b[r].low = b[r].middle + 1;
            else b[r].high = b[r].middle;
            open = open || b[r].low < b[r].high;
        }
    }
    for (int r = 0; r < comm->size; r++) s->cuts[r] = count_below(store, s, b[r].high);
    return PEN_OK;
}

/* Where a gid that somebody has asked about stands in what was asked. */
typedef struct asked_gid {
    pen_gid gid; /* first: by which they are sorted */
    int64_t at;
} asked_gid;

/* Local. The places of the gids of this rank's part, as answers to those who asked. */
static pen_status reply(pen_inquiry *inquiry)
{
    const pen_blocks *asked = &inquiry->asked;
    const int64_t count = asked->count ? asked->offsets[asked->count] / (int64_t)sizeof(pen_gid) : 0;
    asked_gid *gids;
    PEN_TRY(PEN_ALLOC(&gids, count));
    for (int64_t i = 0; i < count; i++) {
        memcpy(&gids[i].gid, asked->data + i * (int64_t)sizeof(pen_gid), sizeof(pen_gid));
        gids[i].at = i;
    }
    if (count > 0) qsort(gids, (size_t)count, sizeof *gids, pen_by_gid);
    for (int64_t i = 0; i < count; i++) {
        const uint32_t place = (uint32_t)i;
        memcpy(inquiry->answers.data + gids[i].at * (int64_t)sizeof place, &place, sizeof place);
    }
    free(gids);
    return PEN_OK;
}

static pen_status pack_gids(const pen_comm *comm, const pen_store *store, const pen_sequence *s, pen_blocks *questions,
                            int64_t **reply_bytes)
{
    PEN_TRY(PEN_ALLOC(reply_bytes, comm->size));
    for (int r = 0; r < comm->size; r++) (*reply_bytes)[r] = (s->cuts[r + 1] - s->cuts[r]) * (int64_t)sizeof(pen_gid);
    PEN_TRY(pen_blocks_open(comm->size, *reply_bytes, questions));
    for (int64_t i = 0; i < store->owned; i++)
        memcpy(questions->data + i * (int64_t)sizeof(pen_gid), &store->gids[s->slots[i]], sizeof(pen_gid));
    for (int b = 0; b < questions->count; b++)
        (*reply_bytes)[b] = (questions->offsets[b + 1] - questions->offsets[b]) / (int64_t)sizeof(pen_gid) *
                            (int64_t)sizeof(uint32_t);
    return PEN_OK;
}

/* Collective. Each rank tells where the nodes of its part are. */
static pen_status find_places(pen_comm *comm, const pen_store *store, pen_sequence *s)
{
    pen_inquiry inquiry = { .requests = NULL };
    pen_blocks questions = { .count = 0 };
    int64_t *reply_bytes = NULL;
    pen_status status = pack_gids(comm, store, s, &questions, &reply_bytes);
    if (status == PEN_OK) status = PEN_ALLOC(&s->places, store->owned);
    status = pen_sparse_request(comm, status, &questions, reply_bytes, &inquiry);
    pen_blocks_free(&questions);
    if (status == PEN_OK) status = pen_agree(comm, reply(&inquiry));
    if (status == PEN_OK) status = pen_sparse_reply(comm, &inquiry);
    if (status == PEN_OK && store->owned > 0)
        memcpy(s->places, inquiry.replies.data, (size_t)store->owned * sizeof *s->places);
    free(reply_bytes);
    pen_inquiry_free(&inquiry);
    return status;
}

/* Collective. */
static pen_status cut_sparse(pen_comm *comm, const pen_store *store, pen_sequence *s)
{
    bounds *b = NULL;
    int64_t *counts = NULL;
    pen_status status = PEN_ALLOC(&b, comm->size);
    if (status == PEN_OK) status = PEN_ALLOC(&counts, comm->size);
    status = pen_agree(comm, status);
    if (status == PEN_OK) status = find_parts(comm, store, s, b, counts);
    PEN_FREE_ALL(b, counts);
    return status == PEN_OK ? find_places(comm, store, s) : status;
}

/* ---- All of it --------------------------------------------------------------------------------------------- */

/* Collective. */
static pen_status make(pen_comm *comm, const pen_store *store, pen_sequence *s)
{
    PEN_TRY(pen_agree(comm, allocate(comm, store, s)));
    PEN_TRY(pen_max_int(comm, store->owned > 0 ? store->gids[s->slots[store->owned - 1]] : -1, &s->largest));
    PEN_TRY(pen_sum_int(comm, store->owned, &s->count));
    for (int r = 0; r <= comm->size; r++) s->starts[r] = pen_block_begin(s->count, comm->size, r);
    s->dense = s->largest == s->count - 1;
    s->cuts[comm->size] = store->owned;
    if (!s->dense) return cut_sparse(comm, store, s);
    for (int r = 0; r < comm->size; r++) s->cuts[r] = count_below(store, s, s->starts[r]);
    return PEN_OK;
}

pen_status pen_sequence_make(pen_comm *comm, const pen_store *store, pen_sequence *sequence)
{
    pen_sequence s = { .version = store->migrations };
    pen_status status = make(comm, store, &s);
    if (status == PEN_OK) *sequence = s;
    else pen_sequence_free(&s);
    return status;
}
