/* gather.c - gathers a graph on rank 0, and distributes the results. */
#include "partition/gather.h"
#include "base/memory.h"
#include "base/sparse.h"

#include <stdlib.h>

/* Number of elements that all ranks together send at once, and the least number per rank. */
enum { TOGETHER = 1 << 19, CHUNK = 1 << 12 };

pen_status pen_check_32_bits(const char *owner, int count, const char *const *names, const double *sums)
{
    for (int i = 0; i < count; i++)
        if (sums[i] > INT32_MAX)
            return pen_fail(PEN_ERR_UNSUPPORTED, "%s counts in 32 bits: the %s is %.4g, must be at most %d", owner,
                            names[i], sums[i], INT32_MAX);
    return PEN_OK;
}

/* ---- Data of a rank --------------------------------------------------------------------------- */

/* A function that returns the address of the elements [from, from + n); it may write them to `chunk`. */
typedef const void *read_fn(const void *context, int64_t from, int n, int32_t *chunk);

static const void *read_words(const void *words, int64_t from, int n, int32_t *chunk)
{
    return (const int64_t *)words + from; /* the function also reads doubles, which have the same size */
}

static const void *read_halves(const void *halves, int64_t from, int n, int32_t *chunk)
{
    return (const int32_t *)halves + from;
}

static const void *narrow(const void *words, int64_t from, int n, int32_t *chunk)
{
    const int64_t *wide = (const int64_t *)words + from;
    for (int k = 0; k < n; k++) chunk[k] = (int32_t)wide[k];
    return chunk;
}

static const void *read_graph_degrees(const void *graph, int64_t from, int n, int32_t *chunk)
{
    const int64_t *rows = ((const pen_graph *)graph)->rows + from;
    for (int k = 0; k < n; k++) chunk[k] = (int32_t)(rows[k + 1] - rows[k]);
    return chunk;
}

/* A view, and the rows numbers[count+shadows] of its nodes. */
typedef struct numbered {
    const pen_load_view *view;
    int32_t *numbers;
} numbered;

static const void *read_degrees(const void *context, int64_t from, int n, int32_t *chunk)
{
    const uint32_t *rows = ((const numbered *)context)->view->rows + from;
    for (int k = 0; k < n; k++) chunk[k] = (int32_t)(rows[k + 1] - rows[k]);
    return chunk;
}

static const void *read_neighbors(const void *context, int64_t from, int n, int32_t *chunk)
{
    const numbered *c = context;
    for (int k = 0; k < n; k++) chunk[k] = c->numbers[c->view->columns[from + k]];
    return chunk;
}

/* ---- Transfer to and from rank 0 -------------------------------------------------------------- */

typedef enum unit { NODES, ARCS } unit;

/* On rank 0. Reorder data from the order of ranks to the order of rows. */
static pen_status sort_by_row(const pen_gathered *g, unit what, size_t size, void *all)
{
    const int32_t *rows = g->graph.rows;
    unsigned char *sorted, *from = *(void **)all;
    PEN_TRY(pen_alloc(&sorted, g->starts[what][g->ranks], size));
    for (int32_t k = 0; k < g->graph.nodes; k++) {
        int32_t row = g->row_of[k], at = row, count = 1;
        if (what == ARCS) {
            at = rows[row];
            count = rows[row + 1] - at;
        }
        memcpy(sorted + (size_t)at * size, from, (size_t)count * size);
        from += (size_t)count * size;
    }
    free(*(void **)all);
    *(void **)all = sorted;
    return PEN_OK;
}

/* Collective. Gather data of all ranks' nodes or arcs in *all on rank 0, by rows; the caller frees it. Data arrive in
 * chunks, so that there is no second copy of them. */
static pen_status collect(pen_peers *peers, const pen_gathered *g, unit what, read_fn *read, const void *context,
                          size_t size, void *all)
{
    int root = 0;
    int64_t most = TOGETHER / peers->size > CHUNK ? TOGETHER / peers->size : CHUNK;
    int32_t *chunk = NULL;
    pen_status status = PEN_ALLOC(&chunk, most < g->mine[what] ? most : g->mine[what]);
    if (status == PEN_OK && peers->rank == 0) status = pen_alloc(all, g->starts[what][g->ranks], size);
    for (int64_t from = 0; status == PEN_OK && from < g->most[what]; from += most) {
        int64_t left = g->mine[what] - from, n = left < most ? left : most;
        int64_t offsets[2] = { 0, n * (int64_t)size };
        pen_parcels send = { 0, &root, offsets, NULL };
        const pen_blocks *received;
        if (n > 0) {
            send.count = 1;
            send.data = read(context, from, (int)n, chunk);
        }
        status = peers->exchange(peers, false, &send, &received);
        for (int i = 0; status == PEN_OK && i < received->count; i++)
            memcpy(*(unsigned char **)all + (size_t)(g->starts[what][received->ranks[i]] + from) * size,
                   received->data + received->offsets[i], (size_t)(received->offsets[i + 1] - received->offsets[i]));
    }
    free(chunk);
    if (status == PEN_OK && g->row_of) status = sort_by_row(g, what, size, all);
    return status;
}

pen_status pen_scatter(pen_peers *peers, const int64_t *starts, const void *array, size_t size,
                       const pen_blocks **received)
{
    int *ranks = NULL;
    int64_t *offsets = NULL;
    pen_status status = PEN_OK;
    if (array) {
        status = PEN_ALLOC(&ranks, peers->size);
        if (status == PEN_OK) status = PEN_ALLOC(&offsets, (int64_t)peers->size + 1);
        for (int r = 0; status == PEN_OK && r <= peers->size; r++) {
            offsets[r] = (starts ? starts[r] : r) * (int64_t)size;
            if (r < peers->size) ranks[r] = r;
        }
    }
    const pen_parcels send = { array ? peers->size : 0, ranks, offsets, array };
    if (status == PEN_OK) status = peers->exchange(peers, false, &send, received);
    PEN_FREE_ALL(ranks, offsets);
    return status;
}

/* Collective. Send integers of rank 0 to all ranks; *mine is NULL if none were sent. */
static pen_status distribute(pen_peers *peers, const int64_t *starts, const int32_t *array, const int32_t **mine)
{
    const pen_blocks *received;
    PEN_TRY(pen_scatter(peers, starts, array, sizeof *array, &received));
    *mine = received->count > 0 ? (const int32_t *)(const void *)received->data : NULL;
    return PEN_OK;
}

/* ---- Sizes ------------------------------------------------------------------------------------ */

/* On rank 0. Find where each rank's nodes and arcs begin. */
static pen_status find_starts(const pen_blocks *counts, pen_gathered *g)
{
    g->ranks = counts->count;
    for (unit u = NODES; u <= ARCS; u++) {
        PEN_TRY(PEN_ALLOC_ZERO(&g->starts[u], (int64_t)g->ranks + 1));
        for (int r = 0; r < g->ranks; r++) {
            int64_t mine[2];
            memcpy(mine, counts->data + counts->offsets[r], sizeof mine);
            g->starts[u][r + 1] = g->starts[u][r] + mine[u];
        }
    }
    g->graph.nodes = (int32_t)g->starts[NODES][g->ranks];
    return PEN_OK;
}

/* Collective. Count nodes and arcs; their sums must fit 31 bits. */
static pen_status count(pen_peers *peers, const char *owner, pen_lid nodes, int64_t arcs, const int64_t *weights,
                        pen_gathered *g)
{
    static const char *const names[] = { "number of nodes", "number of arcs", "sum of edge weights over all arcs" };
    int root = 0;
    int64_t offsets[2] = { 0, sizeof g->mine };
    const pen_parcels send = { 1, &root, offsets, g->mine };
    const pen_blocks *received;
    double sums[] = { nodes, (double)arcs, 0 }, maxima[] = { nodes, (double)arcs };
    *g = (pen_gathered){ .mine = { nodes, arcs } };
    if (weights)
        for (int64_t j = 0; j < arcs; j++) sums[2] += (double)weights[j];
    PEN_TRY(peers->reduce(peers, 3, sums, 2, maxima));
    PEN_TRY(pen_check_32_bits(owner, 3, names, sums));
    for (unit u = NODES; u <= ARCS; u++) g->most[u] = (int64_t)maxima[u];
    PEN_TRY(peers->exchange(peers, false, &send, &received));
    return peers->rank == 0 ? find_starts(received, g) : PEN_OK;
}

/* ---- Numbering of nodes ----------------------------------------------------------------------- */

/* A gid and the position of its node in rank order. */
typedef struct labelled {
    pen_gid gid;
    int32_t place;
} labelled;

/* On rank 0. Sort the rows by gid; gids are given in rank order. */
static pen_status sort_rows(const pen_gid *gids, pen_gathered *g)
{
    labelled *labels;
    int32_t nodes = g->graph.nodes;
    PEN_TRY(PEN_ALLOC(&labels, nodes));
    pen_status status = PEN_ALLOC(&g->row_of, nodes);
    if (status == PEN_OK) {
        for (int32_t k = 0; k < nodes; k++) labels[k] = (labelled){ gids[k], k };
        qsort(labels, (size_t)nodes, sizeof *labels, pen_by_gid);
        for (int32_t row = 0; row < nodes; row++) g->row_of[labels[row].place] = row;
    }
    free(labels);
    return status;
}

/* On rank 0. Set the owners of the rows. */
static pen_status name_owners(pen_gathered *g)
{
    PEN_TRY(PEN_ALLOC(&g->owners, g->graph.nodes));
    for (int32_t r = 0; r < g->ranks; r++)
        for (int64_t k = g->starts[NODES][r]; k < g->starts[NODES][r + 1]; k++)
            g->owners[g->row_of ? g->row_of[k] : k] = r;
    return PEN_OK;
}

/* Collective. Number own nodes in rank order: numbers[i]. */
static pen_status number_in_rank_order(pen_peers *peers, const pen_gathered *g, int32_t *numbers)
{
    int32_t *firsts = NULL;
    const int32_t *first;
    pen_status status = peers->rank == 0 ? PEN_ALLOC(&firsts, g->ranks) : PEN_OK;
    for (int r = 0; status == PEN_OK && r < g->ranks; r++) firsts[r] = (int32_t)g->starts[NODES][r];
    if (status == PEN_OK) status = distribute(peers, NULL, firsts, &first);
    for (pen_lid i = 0; status == PEN_OK && i < g->mine[NODES]; i++) numbers[i] = *first + i;
    free(firsts);
    return status;
}

/* Collective. Number own nodes in the order of gids: numbers[i]. */
static pen_status number_by_gid(const pen_load_view *view, pen_peers *peers, pen_gathered *g, int32_t *numbers)
{
    pen_gid *gids = NULL;
    const int32_t *mine;
    pen_status status = collect(peers, g, NODES, read_words, view->gids, sizeof *gids, &gids);
    if (status == PEN_OK && peers->rank == 0) status = sort_rows(gids, g);
    free(gids);
    if (status == PEN_OK) status = distribute(peers, g->starts[NODES], g->row_of, &mine);
    if (status == PEN_OK && mine) memcpy(numbers, mine, (size_t)view->count * sizeof *numbers);
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

/* List this rank's nodes that other ranks have as shadows, by rank and gid, without duplicates. */
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

/* Fill blocks with the numbers of the nodes on the border. */
static pen_status fill_blocks(const border *b, int64_t n, const int32_t *own, pen_blocks *send)
{
    int32_t *numbers;
    for (int64_t k = 0; k < n; k++) send->count += k == 0 || b[k].owner != b[k - 1].owner;
    PEN_TRY(PEN_ALLOC(&send->ranks, send->count));
    PEN_TRY(PEN_ALLOC(&send->offsets, (int64_t)send->count + 1));
    PEN_TRY(PEN_ALLOC(&numbers, n));
    send->data = (unsigned char *)numbers;
    int at = 0;
    for (int64_t k = 0; k < n; k++) {
        numbers[k] = own[b[k].index];
        if (k > 0 && b[k].owner == b[k - 1].owner) continue;
        send->ranks[at] = b[k].owner;
        send->offsets[at++] = k * (int64_t)sizeof *numbers;
    }
    send->offsets[at] = n * (int64_t)sizeof *numbers;
    return PEN_OK;
}

/* Read the numbers of shadows. Both sides have the nodes on their border in gid order, so only numbers are sent. */
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
    return peers->fail(PEN_ERR_INTERNAL, "neighbours are not mutual: other ranks see a different border with this one");
}

/* Collective. Set the numbers of shadows, numbers[count + s]. */
static pen_status number_shadows(const pen_load_view *view, pen_peers *peers, int32_t *numbers)
{
    border *b = NULL;
    int64_t n;
    pen_blocks send = { 0, NULL, NULL, NULL };
    const pen_blocks *received;
    pen_status status = find_border(view, &b, &n);
    if (status == PEN_OK) status = fill_blocks(b, n, numbers, &send);
    free(b);
    const pen_parcels parcels = pen_blocks_parcels(&send);
    if (status == PEN_OK) status = peers->exchange(peers, true, &parcels, &received);
    PEN_FREE_ALL(send.ranks, send.offsets, send.data);
    if (status == PEN_OK) status = read_blocks(view, peers, received, numbers + view->count);
    return status;
}

/* ---- The graph -------------------------------------------------------------------------------- */

static pen_status collect_rows(pen_peers *peers, read_fn *read, const void *context, pen_gathered *g)
{
    pen_serial_graph *s = &g->graph;
    int32_t arcs = 0;
    PEN_TRY(collect(peers, g, NODES, read, context, sizeof *s->rows, &s->rows));
    if (peers->rank > 0) return PEN_OK;
    PEN_TRY(PEN_REALLOC(&s->rows, (int64_t)s->nodes + 1));
    for (int32_t row = 0; row < s->nodes; row++) {
        int32_t degree = s->rows[row];
        s->rows[row] = arcs;
        arcs += degree;
    }
    s->rows[s->nodes] = arcs;
    return PEN_OK;
}

static pen_status collect_weights(pen_peers *peers, const int64_t *weights, pen_gathered *g)
{
    if (!weights) return PEN_OK;
    return collect(peers, g, ARCS, narrow, weights, sizeof(int32_t), &g->graph.edge_weights);
}

pen_status pen_gather(const pen_load_view *view, pen_peers *peers, const char *owner, bool sorted, pen_gathered *g)
{
    numbered n = { view, NULL };
    PEN_TRY(count(peers, owner, view->count, view->rows[view->count], view->edge_weights, g));
    pen_status status = PEN_ALLOC(&n.numbers, (int64_t)view->count + view->shadows);
    if (status == PEN_OK)
        status = sorted ? number_by_gid(view, peers, g, n.numbers) : number_in_rank_order(peers, g, n.numbers);
    if (status == PEN_OK) status = number_shadows(view, peers, n.numbers);
    if (status == PEN_OK && peers->rank == 0) status = name_owners(g);
    if (status == PEN_OK) status = collect_rows(peers, read_degrees, &n, g);
    if (status == PEN_OK) status = collect(peers, g, ARCS, read_neighbors, &n, sizeof(int32_t), &g->graph.neighbors);
    if (status == PEN_OK) status = collect_weights(peers, view->edge_weights, g);
    free(n.numbers);
    return status;
}

pen_status pen_gather_graph(const pen_graph *graph, pen_peers *peers, const char *owner, pen_gathered *g)
{
    PEN_TRY(count(peers, owner, graph->count, graph->rows[graph->count], graph->edge_weights, g));
    PEN_TRY(collect_rows(peers, read_graph_degrees, graph, g));
    PEN_TRY(collect(peers, g, ARCS, narrow, graph->neighbors, sizeof(int32_t), &g->graph.neighbors));
    return collect_weights(peers, graph->edge_weights, g);
}

/* On rank 0. Each load is rounded down and increased by 1. With so few nodes this adds at most half of the sum. */
static pen_status scale_loads(const char *owner, double sum, pen_gathered *g)
{
    enum { SUM = 1 << 30, MOST_NODES = SUM / 2 };
    pen_serial_graph *s = &g->graph;
    if (s->nodes > MOST_NODES)
        return pen_fail(PEN_ERR_UNSUPPORTED, "%s: %" PRId32 " nodes, must be at most %d", owner, s->nodes, MOST_NODES);
    double most = (SUM - (double)s->nodes) * (1 - 1e-9);
    PEN_TRY(PEN_ALLOC(&s->loads, s->nodes));
    for (int32_t row = 0; row < s->nodes; row++) s->loads[row] = 1 + (int32_t)(g->loads[row] / sum * most);
    return PEN_OK;
}

/* On rank 0. Scale the loads of one phase after the other. In a phase without load all loads become equal. */
static pen_status scale_phases(const char *owner, int phases, pen_gathered *g)
{
    pen_serial_graph *s = &g->graph;
    double *all = g->loads, *one;
    int32_t *scaled = NULL;
    PEN_TRY(PEN_ALLOC(&one, s->nodes));
    pen_status status = PEN_ALLOC(&scaled, (int64_t)s->nodes * phases);
    for (int p = 0; p < phases && status == PEN_OK; p++) {
        double sum = 0.0;
        for (int32_t row = 0; row < s->nodes; row++) sum += one[row] = all[(int64_t)row * phases + p];
        g->loads = one;
        status = scale_loads(owner, sum > 0.0 ? sum : 1.0, g);
        for (int32_t row = 0; row < s->nodes && status == PEN_OK; row++)
            scaled[(int64_t)row * phases + p] = s->loads[row];
        free(s->loads);
        s->loads = NULL;
    }
    g->loads = all;
    s->loads = scaled;
    s->phases = phases;
    free(one);
    return status;
}

pen_status pen_gather_loads(const pen_load_view *view, pen_peers *peers, const char *owner, double sum, pen_gathered *g)
{
    PEN_TRY(collect(peers, g, NODES, read_words, view->loads, sizeof *view->loads, &g->loads));
    return peers->rank == 0 ? scale_loads(owner, sum, g) : PEN_OK;
}

pen_status pen_gather_phase_loads(const pen_load_view *view, pen_peers *peers, const char *owner, pen_gathered *g)
{
    double *one, *gathered = NULL, *all = NULL;
    const int phases = view->phases;
    PEN_TRY(PEN_ALLOC(&one, view->count));
    pen_status status = peers->rank == 0 ? PEN_ALLOC(&all, (int64_t)g->graph.nodes * phases) : PEN_OK;
    for (int p = 0; p < phases && status == PEN_OK; p++) {
        for (pen_lid i = 0; i < view->count; i++) one[i] = view->phase_loads[(int64_t)i * phases + p];
        status = collect(peers, g, NODES, read_words, one, sizeof *one, &gathered);
        for (int32_t row = 0; row < g->graph.nodes && status == PEN_OK && all; row++)
            all[(int64_t)row * phases + p] = gathered[row];
        free(gathered);
        gathered = NULL;
    }
    free(one);
    g->loads = all;
    return status == PEN_OK && all ? scale_phases(owner, phases, g) : status;
}

pen_status pen_gather_reads(const pen_load_view *view, pen_peers *peers, const pen_gathered *g, int64_t **reads)
{
    const int64_t *mine = view->reads ? view->reads : view->edge_weights;
    if (mine) return collect(peers, g, ARCS, read_words, mine, sizeof **reads, reads);
    if (peers->rank > 0) return PEN_OK;
    PEN_TRY(PEN_ALLOC(reads, g->graph.rows[g->graph.nodes]));
    for (int32_t j = 0; j < g->graph.rows[g->graph.nodes]; j++) (*reads)[j] = 1;
    return PEN_OK;
}

pen_status pen_gather_values(pen_peers *peers, const pen_gathered *g, const int32_t *mine, int32_t **all)
{
    return collect(peers, g, NODES, read_halves, mine, sizeof *mine, all);
}

pen_status pen_gathered_scatter(pen_peers *peers, const pen_gathered *g, const int32_t *part, const int32_t **mine)
{
    int32_t *ordered = NULL, nodes = g->graph.nodes;
    pen_status status = PEN_OK;
    if (part && g->row_of) {
        status = PEN_ALLOC(&ordered, nodes);
        for (int32_t k = 0; status == PEN_OK && k < nodes; k++) ordered[k] = part[g->row_of[k]];
        part = ordered;
    }
    if (status == PEN_OK) status = distribute(peers, g->starts[NODES], part, mine);
    free(ordered);
    return status;
}

void pen_gathered_free(pen_gathered *g)
{
    void *arrays[] = { g->graph.rows,  g->graph.neighbors, g->graph.edge_weights,
                       g->graph.loads, g->graph.sizes,     g->loads,
                       g->owners,      g->row_of,          g->starts[0],
                       g->starts[1] };
    for (int i = 0; i < PEN_COUNT_OF(arrays); i++) free(arrays[i]);
    memset(g, 0, sizeof *g);
}
