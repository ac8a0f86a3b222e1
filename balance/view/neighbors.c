/* neighbors.c - gets values of neighbours: values and requests are sent to a home, chosen by a hash of the gid. This
 * needs neither contiguous ranges nor a directory. */
#include "view/neighbors.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/sparse.h"

#include <stdlib.h>

typedef struct valued {
    pen_gid gid;   /* the gid; the first member, because it is the sort key */
    int64_t value; /* a value of 32 bits, as int64_t so that the structure has no padding */
} valued;

/* The requested gids, and the index of each reply. */
typedef struct question {
    int64_t count;
    pen_gid *gids;  /* [count] requested gids, ascending */
    int64_t *order; /* [count] index of each gid's reply */
} question;

static int64_t count_of(const pen_blocks *blocks, size_t size)
{
    return blocks->count > 0 ? blocks->offsets[blocks->count] / (int64_t)size : 0;
}

/* Collective. Send each record, which begins with a gid, to the gid's home. */
static pen_status send_home(pen_comm *comm, pen_status mine, int64_t count, const void *records, size_t size,
                            pen_blocks *received, int64_t *order)
{
    pen_blocks send = { 0 };
    int *to = NULL;
    if (mine == PEN_OK) mine = PEN_ALLOC(&to, count);
    for (int64_t i = 0; mine == PEN_OK && i < count; i++) {
        pen_gid gid;
        memcpy(&gid, (const char *)records + (size_t)i * size, sizeof gid);
        to[i] = (int)pen_hash_range(pen_mix((uint64_t)gid), (uint64_t)comm->size);
    }
    if (mine == PEN_OK) mine = pen_blocks_group(count, to, records, size, &send, order);
    free(to);
    mine = pen_sparse_exchange(comm, mine, &send, received);
    pen_blocks_free(&send);
    return mine;
}

/* Collective. Send the values to the homes; *homes gets the records whose home is this rank, ascending. */
static pen_status publish(const pen_graph *graph, pen_status mine, const int32_t *values, pen_blocks *homes)
{
    valued *records = NULL;
    if (mine == PEN_OK) mine = PEN_ALLOC(&records, graph->count);
    for (pen_lid i = 0; mine == PEN_OK && i < graph->count; i++)
        records[i] = (valued){ pen_graph_gid(graph, i), values[i] };
    mine = send_home(graph->comm, mine, graph->count, records, sizeof *records, homes, NULL);
    free(records);
    if (mine == PEN_OK && homes->count > 0)
        qsort(homes->data, (size_t)count_of(homes, sizeof(valued)), sizeof(valued), pen_by_gid);
    return mine;
}

/* Whether a gid is in this rank's contiguous range, as most neighbours are. */
static bool is_mine(const pen_graph *graph, pen_gid gid)
{
    return graph->dense && gid >= graph->first && gid < graph->first + graph->count;
}

static pen_status prepare(const pen_graph *graph, question *q)
{
    int64_t asked = 0, arcs = graph->rows[graph->count];
    for (int64_t j = 0; j < arcs; j++) asked += !is_mine(graph, graph->neighbors[j]);
    PEN_TRY(PEN_ALLOC(&q->gids, asked));
    PEN_TRY(PEN_ALLOC(&q->order, asked));
    asked = 0;
    for (int64_t j = 0; j < arcs; j++)
        if (!is_mine(graph, graph->neighbors[j])) q->gids[asked++] = graph->neighbors[j];
    qsort(q->gids, (size_t)asked, sizeof *q->gids, pen_by_gid);
    for (int64_t i = 0; i < asked; i++)
        if (i == 0 || q->gids[i] != q->gids[q->count - 1]) q->gids[q->count++] = q->gids[i];
    return PEN_OK;
}

/* Collective. Replace each received gid by its value, and send the values back. */
static pen_status answer(const pen_graph *graph, const pen_blocks *homes, pen_blocks *asked, pen_blocks *answers)
{
    pen_gid *gids = (pen_gid *)(void *)asked->data;
    for (int64_t i = 0; i < count_of(asked, sizeof *gids); i++) {
        const valued *found = bsearch(&gids[i], homes->data, (size_t)count_of(homes, sizeof *found), sizeof *found,
                                      pen_by_gid);
        PEN_INVARIANT(found != NULL); /* a valid graph has every neighbour */
        gids[i] = found->value;
    }
    return pen_sparse_exchange(graph->comm, PEN_OK, asked, answers);
}

pen_status pen_neighbor_values(const pen_graph *graph, pen_status mine, const int32_t *values, int32_t *of_arc)
{
    question q = { 0 };
    pen_blocks homes = { 0 }, asked = { 0 }, answers = { 0 };
    pen_status status = publish(graph, mine, values, &homes);
    if (status == PEN_OK) {
        status = prepare(graph, &q);
        status = send_home(graph->comm, status, q.count, q.gids, sizeof *q.gids, &asked, q.order);
    }
    if (status == PEN_OK) status = answer(graph, &homes, &asked, &answers);
    for (int64_t j = 0; status == PEN_OK && j < graph->rows[graph->count]; j++) {
        pen_gid gid = graph->neighbors[j];
        if (is_mine(graph, gid)) {
            of_arc[j] = values[gid - graph->first];
            continue;
        }
        const pen_gid *found = bsearch(&gid, q.gids, (size_t)q.count, sizeof *q.gids, pen_by_gid);
        of_arc[j] = (int32_t)((const int64_t *)(void *)answers.data)[q.order[found - q.gids]];
    }
    pen_blocks_free(&homes);
    pen_blocks_free(&asked);
    pen_blocks_free(&answers);
    PEN_FREE_ALL(q.gids, q.order);
    return status;
}
