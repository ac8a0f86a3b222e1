/* processors.c - gathers the graph of processors on rank 0. */
#include "rebalance/processors.h"
#include "base/memory.h"
#include "partition/gather.h"

#include <stdlib.h>

/* Describe a rank's load, and its neighbour ranks with the lengths of the buffers in which it receives from them. */
static pen_status describe(const pen_load_view *view, pen_share **found, int *count)
{
    int32_t *owners;
    PEN_TRY(PEN_ALLOC(&owners, view->shadows));
    if (view->shadows > 0) memcpy(owners, view->owners, (size_t)view->shadows * sizeof *owners);
    qsort(owners, (size_t)view->shadows, sizeof *owners, pen_by_int32);
    int n = 1;
    for (pen_lid s = 0; s < view->shadows; s++) n += s == 0 || owners[s] != owners[s - 1];
    pen_status status = PEN_ALLOC(found, n);
    if (status == PEN_OK) {
        pen_share *shares = *found;
        shares[0] = (pen_share){ -1, 0 };
        for (pen_lid i = 0; i < view->count; i++) shares[0].amount += view->loads[i];
        *count = 1;
        for (pen_lid s = 0; s < view->shadows; s++) {
            if (s == 0 || owners[s] != owners[s - 1]) shares[(*count)++] = (pen_share){ owners[s], 0 };
            shares[*count - 1].amount++;
        }
    }
    free(owners);
    return status;
}

static void find_rows(pen_processors *graph, int64_t count)
{
    int64_t j = 0;
    for (int r = 0; r <= graph->ranks; r++) {
        while (j < count && graph->borders[j].from < r) j++;
        graph->rows[r] = j;
    }
}

/* Join each rank without a border to a heavier one: the one whose load, divided among all ranks joined to it, is
 * largest. */
static pen_status join(pen_processors *graph, int64_t *count)
{
    int32_t *joined;
    int64_t lonely = 0;
    for (int r = 0; r < graph->ranks; r++) lonely += graph->rows[r] == graph->rows[r + 1];
    PEN_TRY(PEN_REALLOC(&graph->borders, *count + 2 * lonely));
    PEN_TRY(PEN_ALLOC_ZERO(&joined, graph->ranks));
    for (int32_t r = 0; r < graph->ranks; r++) {
        int32_t best = -1;
        if (graph->rows[r] < graph->rows[r + 1]) continue;
        for (int32_t k = 0; k < graph->ranks; k++)
            if (graph->loads[k] > graph->loads[r] &&
                (best < 0 || graph->loads[k] / (1 + joined[k]) > graph->loads[best] / (1 + joined[best])))
                best = k;
        if (best < 0) continue;
        joined[best]++;
        graph->borders[(*count)++] = (pen_border){ r, best, 0, 0 };
        graph->borders[(*count)++] = (pen_border){ best, r, 0, 0 };
    }
    free(joined);
    return PEN_OK;
}

static pen_status build(const pen_blocks *received, bool joined, pen_processors *graph)
{
    int64_t count = 0, ranks = received->count;
    int64_t shares = received->offsets[ranks] / (int64_t)sizeof(pen_share);
    graph->ranks = (int)ranks;
    PEN_TRY(PEN_ALLOC(&graph->loads, ranks));
    PEN_TRY(PEN_ALLOC(&graph->rows, ranks + 1));
    PEN_TRY(PEN_ALLOC(&graph->borders, shares));
    for (int32_t k = 0, r = -1; k < shares; k++) {
        pen_share share;
        memcpy(&share, received->data + k * (int64_t)sizeof share, sizeof share);
        if (share.rank < 0) graph->loads[++r] = share.amount;
        else graph->borders[count++] = (pen_border){ r, (int32_t)share.rank, share.amount, 0 };
    }
    find_rows(graph, count);
    if (!joined) return PEN_OK;
    PEN_TRY(join(graph, &count));
    qsort(graph->borders, (size_t)count, sizeof *graph->borders, pen_by_int32s);
    find_rows(graph, count);
    return PEN_OK;
}

pen_status pen_processors_gather(const pen_load_view *view, pen_peers *peers, bool joined, pen_processors *graph)
{
    pen_share *shares = NULL;
    int count = 0, root = 0;
    const pen_blocks *received;
    memset(graph, 0, sizeof *graph);
    pen_status status = describe(view, &shares, &count);
    if (status == PEN_OK) {
        int64_t offsets[2] = { 0, count * (int64_t)sizeof *shares };
        const pen_parcels send = { 1, &root, offsets, shares };
        status = peers->exchange(peers, false, &send, &received);
    }
    free(shares);
    if (status == PEN_OK && peers->rank == 0) status = build(received, joined, graph);
    return status;
}

pen_status pen_processors_tell(pen_peers *peers, const int64_t *rows, const pen_share *shares, pen_share **mine,
                               int *count)
{
    const pen_blocks *received;
    PEN_TRY(pen_scatter(peers, rows, shares, sizeof *shares, &received));
    int64_t bytes = received->count > 0 ? received->offsets[1] : 0;
    *count = (int)(bytes / (int64_t)sizeof **mine);
    PEN_TRY(PEN_ALLOC(mine, *count));
    if (bytes > 0) memcpy(*mine, received->data, (size_t)bytes);
    return PEN_OK;
}

int64_t pen_processors_border(const pen_processors *graph, int32_t from, int32_t to)
{
    const pen_border key = { .from = from, .to = to };
    const pen_border *found = bsearch(&key, graph->borders + graph->rows[from],
                                      (size_t)(graph->rows[from + 1] - graph->rows[from]), sizeof key, pen_by_int32s);
    PEN_INVARIANT(found != NULL);
    return found - graph->borders;
}

void pen_processors_free(pen_processors *graph)
{
    PEN_FREE_ALL(graph->loads, graph->rows, graph->borders);
    memset(graph, 0, sizeof *graph);
}
