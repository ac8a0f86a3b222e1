#include "rebalance/gather.h"
#include "base/memory.h"

#include <stdlib.h>

enum {
    LOAD_SUM = 1 << 30,
    MAX_NODES = 1 << 29 /* so that loads keep half of the sum where each of them is raised by 1 */
};

/* ---- To and from rank 0 ----------------------------------------------------------------------- */

/* Collective. What all ranks have of something, one after the other, in *all on rank 0; the caller frees it. */
static pen_status collect(pen_peers *peers, const void *mine, int64_t count, size_t size, void *all)
{
    int root = 0;
    int64_t offsets[2] = { 0, count * (int64_t)size };
    const pen_blocks send = { 1, &root, offsets, (unsigned char *)(uintptr_t)mine }, *received;
    PEN_TRY(peers->exchange(peers, false, &send, &received));
    if (peers->rank > 0) return PEN_OK;
    int64_t bytes = received->count > 0 ? received->offsets[received->count] : 0;
    PEN_TRY(pen_alloc(all, bytes, 1));
    if (bytes > 0) memcpy(*(void **)all, received->data, (size_t)bytes);
    return PEN_OK;
}

/* Collective. counts[r] elements, [size], of rank 0's array go to each rank r. */
static pen_status distribute(pen_peers *peers, const int32_t *counts, const int32_t *array, const pen_blocks **received)
{
    pen_blocks send = { 0, NULL, NULL, (unsigned char *)(uintptr_t)array };
    pen_status status = PEN_OK;
    if (peers->rank == 0) {
        status = PEN_ALLOC(&send.ranks, peers->size);
        if (status == PEN_OK) status = PEN_ALLOC(&send.offsets, (int64_t)peers->size + 1);
        if (status == PEN_OK) {
            send.count = peers->size;
            send.offsets[0] = 0;
            for (int r = 0; r < peers->size; r++) {
                send.ranks[r] = r;
                send.offsets[r + 1] = send.offsets[r] + counts[r] * (int64_t)sizeof *array;
            }
        }
    }
    if (status == PEN_OK) status = peers->exchange(peers, false, &send, received);
    free(send.ranks);
    free(send.offsets);
    return status;
}

/* ---- Numbers ---------------------------------------------------------------------------------- */

/* Collective. Nodes are numbered in rank order: *first is the number of this rank's first one. */
static pen_status number(const pen_load_view *view, pen_peers *peers, pen_gathered *g, int32_t *first)
{
    int32_t *counts = NULL, *firsts = NULL, *ones = NULL, count = view->count;
    const pen_blocks *received;
    pen_status status = collect(peers, &count, 1, sizeof count, &counts);
    if (status == PEN_OK && peers->rank == 0) {
        status = PEN_ALLOC(&firsts, peers->size);
        if (status == PEN_OK) status = PEN_ALLOC(&ones, peers->size);
        if (status == PEN_OK) status = PEN_ALLOC(&g->owners, g->graph.nodes);
        for (int32_t r = 0, next = 0; status == PEN_OK && r < peers->size; r++) {
            firsts[r] = next;
            ones[r] = 1;
            for (int32_t i = 0; i < counts[r]; i++) g->owners[next++] = r;
        }
    }
    if (status == PEN_OK) status = distribute(peers, ones, firsts, &received);
    if (status == PEN_OK) memcpy(first, received->data, sizeof *first);
    free(counts);
    free(firsts);
    free(ones);
    return status;
}

/* A node on a border, and the rank on the other side. */
typedef struct border {
    int32_t owner;
    pen_lid index;
    pen_gid gid;
} border;

static int by_owner_and_gid(const void *a, const void *b)
{
    const border *x = a, *y = b;
    if (x->owner != y->owner) return x->owner < y->owner ? -1 : 1;
    return (x->gid > y->gid) - (x->gid < y->gid);
}

/* My nodes that other ranks have as shadows, by rank and gid, without duplicates. */
static pen_status find_border(const pen_load_view *view, border **found, int64_t *count)
{
    int64_t n = 0;
    for (uint32_t j = 0; j < view->rows[view->count]; j++) n += view->columns[j] >= view->count;
    PEN_TRY(PEN_ALLOC(found, n));
    border *b = *found;
    n = 0;
    for (pen_lid i = 0; i < view->count; i++)
        for (uint32_t j = view->rows[i]; j < view->rows[i + 1]; j++)
            if (view->columns[j] >= view->count)
                b[n++] = (border){ view->owners[view->columns[j] - view->count], i, view->gids[i] };
    qsort(b, (size_t)n, sizeof *b, by_owner_and_gid);
    *count = 0;
    for (int64_t k = 0; k < n; k++)
        if (k == 0 || by_owner_and_gid(&b[k - 1], &b[k]) != 0) b[(*count)++] = b[k];
    return PEN_OK;
}

/* Blocks of the numbers of the nodes on the border. */
static pen_status fill_blocks(const border *b, int64_t n, int32_t first, pen_blocks *send)
{
    int32_t *numbers;
    for (int64_t k = 0; k < n; k++) send->count += k == 0 || b[k].owner != b[k - 1].owner;
    PEN_TRY(PEN_ALLOC(&send->ranks, send->count));
    PEN_TRY(PEN_ALLOC(&send->offsets, (int64_t)send->count + 1));
    PEN_TRY(PEN_ALLOC(&numbers, n));
    send->data = (unsigned char *)numbers;
    int at = 0;
    for (int64_t k = 0; k < n; k++) {
        numbers[k] = first + b[k].index;
        if (k > 0 && b[k].owner == b[k - 1].owner) continue;
        send->ranks[at] = b[k].owner;
        send->offsets[at++] = k * (int64_t)sizeof *numbers;
    }
    send->offsets[at] = n * (int64_t)sizeof *numbers;
    return PEN_OK;
}

/* Both sides have the nodes on their border in gid order, so that numbers alone are sent. */
static pen_status read_blocks(const pen_load_view *view, pen_peers *peers, const pen_blocks *received, int32_t *numbers)
{
    border *b;
    PEN_TRY(PEN_ALLOC(&b, view->shadows));
    for (pen_lid s = 0; s < view->shadows; s++) b[s] = (border){ view->owners[s], s, view->gids[view->count + s] };
    qsort(b, (size_t)view->shadows, sizeof *b, by_owner_and_gid);
    bool mutual = received->count == 0 || received->offsets[received->count] % (int64_t)sizeof *numbers == 0;
    int64_t k = 0;
    for (int i = 0; mutual && i < received->count; i++) {
        int64_t end = received->offsets[i + 1] / (int64_t)sizeof *numbers;
        for (; k < end && k < view->shadows && b[k].owner == received->ranks[i]; k++)
            memcpy(&numbers[b[k].index], received->data + k * (int64_t)sizeof *numbers, sizeof *numbers);
        mutual = k == end;
    }
    free(b);
    if (mutual && k == view->shadows) return PEN_OK;
    return peers->fail(PEN_ERR_INTERNAL, "neighbours are not mutual: other ranks have other borders with this one");
}

/* Collective. numbers[s] is shadow s's number. */
static pen_status number_shadows(const pen_load_view *view, pen_peers *peers, int32_t first, int32_t *numbers)
{
    border *b = NULL;
    int64_t n;
    pen_blocks send = { 0, NULL, NULL, NULL };
    const pen_blocks *received;
    pen_status status = find_border(view, &b, &n);
    if (status == PEN_OK) status = fill_blocks(b, n, first, &send);
    free(b);
    if (status == PEN_OK) status = peers->exchange(peers, true, &send, &received);
    free(send.ranks);
    free(send.offsets);
    free(send.data);
    if (status == PEN_OK) status = read_blocks(view, peers, received, numbers);
    return status;
}

/* ---- The graph -------------------------------------------------------------------------------- */

static pen_status collect_rows(const pen_load_view *view, pen_peers *peers, int32_t *scratch, pen_serial_graph *s)
{
    int32_t *degrees = NULL;
    for (pen_lid i = 0; i < view->count; i++) scratch[i] = (int32_t)(view->rows[i + 1] - view->rows[i]);
    PEN_TRY(collect(peers, scratch, view->count, sizeof *scratch, &degrees));
    if (peers->rank > 0) return PEN_OK;
    pen_status status = PEN_ALLOC_ZERO(&s->rows, (int64_t)s->nodes + 1);
    for (int32_t row = 0; status == PEN_OK && row < s->nodes; row++) s->rows[row + 1] = s->rows[row] + degrees[row];
    free(degrees);
    return status;
}

static pen_status collect_arcs(const pen_load_view *view, pen_peers *peers, int32_t first, int32_t *scratch,
                               pen_serial_graph *s)
{
    uint32_t arcs = view->rows[view->count];
    int32_t *numbers;
    PEN_TRY(PEN_ALLOC(&numbers, view->shadows));
    pen_status status = number_shadows(view, peers, first, numbers);
    for (uint32_t j = 0; status == PEN_OK && j < arcs; j++) {
        pen_lid to = view->columns[j];
        scratch[j] = to < view->count ? first + to : numbers[to - view->count];
    }
    free(numbers);
    if (status == PEN_OK) status = collect(peers, scratch, arcs, sizeof *scratch, &s->neighbors);
    return status;
}

static pen_status collect_weights(const pen_load_view *view, pen_peers *peers, int32_t *scratch, pen_serial_graph *s)
{
    uint32_t arcs = view->rows[view->count];
    for (uint32_t j = 0; j < arcs; j++) scratch[j] = (int32_t)view->edge_weights[j];
    return collect(peers, scratch, arcs, sizeof *scratch, &s->edge_weights);
}

/* Each load is rounded down and raised by 1. */
static pen_status scale_loads(pen_gathered *g, double sum)
{
    double most = (LOAD_SUM - (double)g->graph.nodes) * (1 - 1e-9);
    PEN_TRY(PEN_ALLOC(&g->graph.loads, g->graph.nodes));
    for (int32_t row = 0; row < g->graph.nodes; row++) g->graph.loads[row] = 1 + (int32_t)(g->loads[row] / sum * most);
    return PEN_OK;
}

typedef enum sum { NODES, ARCS, WEIGHTS, SUMS, LOADS = SUMS, ALL } sum;

static pen_status add_up(const pen_load_view *view, pen_peers *peers, const char *owner, double sums[ALL])
{
    static const char *const names[SUMS] = { "number of nodes", "number of arcs", "sum of edge weights over all arcs" };
    static const double most[SUMS] = { MAX_NODES, INT32_MAX, INT32_MAX };
    uint32_t arcs = view->rows[view->count];
    for (int i = 0; i < ALL; i++) sums[i] = 0;
    sums[NODES] = view->count;
    sums[ARCS] = arcs;
    for (uint32_t j = 0; view->edge_weights && j < arcs; j++) sums[WEIGHTS] += (double)view->edge_weights[j];
    for (pen_lid i = 0; i < view->count; i++) sums[LOADS] += view->loads[i];
    PEN_TRY(peers->reduce(peers, ALL, sums, 0, NULL));
    for (int i = 0; i < SUMS; i++)
        if (sums[i] > most[i])
            return peers->fail(PEN_ERR_UNSUPPORTED, "%s counts in 32 bits: the %s is %.4g, must be at most %.0f", owner,
                               names[i], sums[i], most[i]);
    return PEN_OK;
}

pen_status pen_gather(const pen_load_view *view, pen_peers *peers, const char *owner, pen_gathered *g)
{
    double sums[ALL];
    int32_t first = 0, *scratch;
    int64_t arcs = view->rows[view->count];
    memset(g, 0, sizeof *g);
    PEN_TRY(add_up(view, peers, owner, sums));
    PEN_TRY(PEN_ALLOC(&scratch, arcs > view->count ? arcs : view->count));
    if (peers->rank == 0) g->graph.nodes = (int32_t)sums[NODES];
    pen_status status = number(view, peers, g, &first);
    if (status == PEN_OK) status = collect_rows(view, peers, scratch, &g->graph);
    if (status == PEN_OK) status = collect_arcs(view, peers, first, scratch, &g->graph);
    if (status == PEN_OK && view->edge_weights) status = collect_weights(view, peers, scratch, &g->graph);
    if (status == PEN_OK) status = collect(peers, view->loads, view->count, sizeof *view->loads, &g->loads);
    if (status == PEN_OK && peers->rank == 0) status = scale_loads(g, sums[LOADS]);
    free(scratch);
    return status;
}

void pen_gathered_free(pen_gathered *g)
{
    pen_serial_free(&g->graph);
    free(g->loads);
    free(g->owners);
    memset(g, 0, sizeof *g);
}

pen_status pen_gathered_plan(const pen_load_view *view, pen_peers *peers, const pen_gathered *g, const int32_t *part,
                             pen_plan *plan)
{
    int32_t *counts = NULL;
    const pen_blocks *received;
    if (peers->rank == 0) {
        PEN_TRY(PEN_ALLOC_ZERO(&counts, peers->size));
        for (int32_t row = 0; part && row < g->graph.nodes; row++) counts[g->owners[row]]++;
    }
    pen_status status = distribute(peers, counts, part, &received);
    free(counts);
    if (status != PEN_OK || received->count == 0) return status;
    for (pen_lid i = 0; i < view->count; i++) {
        int32_t to;
        memcpy(&to, received->data + i * (int64_t)sizeof to, sizeof to);
        if (to != peers->rank) plan->moves[plan->count++] = (pen_move){ view->gids[i], to };
    }
    return PEN_OK;
}
