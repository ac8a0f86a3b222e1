#include "view/view.h"
#include "base/memory.h"
#include "base/sparse.h"
#include "view/neighbors.h"

#include <stdlib.h>

/* A neighbour of an own node. */
typedef struct arc {
    pen_lid node;
    int32_t owner; /* of the neighbour */
    pen_gid gid;
    int64_t weight;
} arc;

/* What the owner of a node is told: that one of ours reads it. */
typedef struct reader {
    pen_gid node, gid; /* its node, ours */
    int64_t weight;
} reader;

typedef struct building {
    pen_comm *comm;
    const pen_view_rows *rows;
    pen_lid *by_gid; /* [rows->count] own nodes, ascending by gid */
    arc *arcs;       /* [count] */
    int64_t count, room;
} building;

/* ---- Own nodes by gid ----------------------------------------------------------------------- */

typedef struct numbered {
    pen_gid gid;
    pen_lid index;
} numbered;

static int compare_gids(const void *a, const void *b)
{
    pen_gid x = ((const numbered *)a)->gid, y = ((const numbered *)b)->gid;
    return (x > y) - (x < y);
}

static pen_status sort_nodes(building *b)
{
    const pen_view_rows *rows = b->rows;
    numbered *nodes;
    PEN_TRY(PEN_ALLOC(&b->by_gid, rows->count));
    PEN_TRY(PEN_ALLOC(&nodes, rows->count));
    for (pen_lid i = 0; i < rows->count; i++) nodes[i] = (numbered){ rows->gids[i], i };
    qsort(nodes, (size_t)rows->count, sizeof *nodes, compare_gids);
    for (pen_lid i = 0; i < rows->count; i++) b->by_gid[i] = nodes[i].index;
    free(nodes);
    return PEN_OK;
}

static pen_lid find(const building *b, pen_gid gid)
{
    pen_lid low = 0, high = b->rows->count;
    while (low < high) {
        pen_lid middle = low + (high - low) / 2;
        if (b->rows->gids[b->by_gid[middle]] < gid)
            low = middle + 1;
        else
            high = middle;
    }
    PEN_INVARIANT(low < b->rows->count && b->rows->gids[b->by_gid[low]] == gid);
    return b->by_gid[low];
}

/* ---- Arcs ----------------------------------------------------------------------------------- */

static pen_status list_arcs(building *b)
{
    const pen_view_rows *rows = b->rows;
    b->room = rows->rows[rows->count];
    PEN_TRY(PEN_ALLOC(&b->arcs, b->room));
    for (pen_lid v = 0; v < rows->count; v++)
        for (int64_t j = rows->rows[v]; j < rows->rows[v + 1]; j++)
            b->arcs[b->count++] = (arc){ v, rows->owners[j], rows->neighbors[j],
                                         rows->edge_weights ? rows->edge_weights[j] : 1 };
    return PEN_OK;
}

/* Collective. Of a directed graph: the readers of own nodes are neighbours as well. */
static pen_status add_readers(building *b, pen_status mine)
{
    pen_blocks send = { 0 }, received = { 0 };
    reader *readers = NULL;
    int *to = NULL;
    if (mine == PEN_OK) mine = PEN_ALLOC(&readers, b->count);
    if (mine == PEN_OK) mine = PEN_ALLOC(&to, b->count);
    for (int64_t j = 0; mine == PEN_OK && j < b->count; j++) {
        readers[j] = (reader){ b->arcs[j].gid, b->rows->gids[b->arcs[j].node], b->arcs[j].weight };
        to[j] = b->arcs[j].owner;
    }
    if (mine == PEN_OK) mine = pen_blocks_group(b->count, to, readers, sizeof *readers, &send, NULL);
    free(readers);
    free(to);
    mine = pen_sparse_exchange(b->comm, mine, &send, &received);
    pen_blocks_free(&send);
    int64_t total = mine == PEN_OK && received.count ? received.offsets[received.count] / (int64_t)sizeof(reader) : 0;
    if (mine == PEN_OK) mine = PEN_REALLOC(&b->arcs, b->count + total);
    for (int i = 0; mine == PEN_OK && i < received.count; i++)
        for (int64_t at = received.offsets[i]; at < received.offsets[i + 1]; at += (int64_t)sizeof(reader)) {
            const reader *r = (const reader *)(const void *)(received.data + at);
            b->arcs[b->count++] = (arc){ find(b, r->node), received.ranks[i], r->gid, r->weight };
        }
    pen_blocks_free(&received);
    return mine;
}

static int compare_arcs(const void *a, const void *b)
{
    const arc *x = (const arc *)a, *y = (const arc *)b;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    return (x->gid > y->gid) - (x->gid < y->gid);
}

/* Each neighbour once. */
static void merge_arcs(building *b)
{
    int64_t kept = 0;
    for (int64_t j = 0; j < b->count; j++) {
        if (kept > 0 && compare_arcs(&b->arcs[kept - 1], &b->arcs[j]) == 0)
            b->arcs[kept - 1].weight += b->arcs[j].weight;
        else
            b->arcs[kept++] = b->arcs[j];
    }
    b->count = kept;
}

/* ---- The view ------------------------------------------------------------------------------- */

static bool in_order(const building *b)
{
    for (int64_t j = 1; j < b->count; j++)
        if (compare_arcs(&b->arcs[j - 1], &b->arcs[j]) > 0) return false;
    return true;
}

/* Neighbours of other ranks, ascending and each once, with their owners. */
static pen_status list_shadows(const building *b, numbered **shadows, int64_t *count)
{
    *count = 0;
    for (int64_t j = 0; j < b->count; j++) *count += b->arcs[j].owner != b->comm->rank;
    PEN_TRY(PEN_ALLOC(shadows, *count));
    int64_t n = 0;
    for (int64_t j = 0; j < b->count; j++)
        if (b->arcs[j].owner != b->comm->rank) (*shadows)[n++] = (numbered){ b->arcs[j].gid, b->arcs[j].owner };
    qsort(*shadows, (size_t)n, sizeof **shadows, compare_gids);
    *count = 0;
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || (*shadows)[i].gid != (*shadows)[*count - 1].gid) (*shadows)[(*count)++] = (*shadows)[i];
    return PEN_OK;
}

/* What has to be const for algorithms and is written here. */
typedef struct arrays {
    pen_gid *gids;
    int32_t *owners;
    double *loads;
    uint32_t *rows;
    pen_lid *columns;
    int64_t *weights;
} arrays;

static void fill(const building *b, const numbered *shadows, const pen_load_view *view, const arrays *a)
{
    for (pen_lid v = 0; v < view->count; v++) {
        a->gids[v] = b->rows->gids[v];
        a->loads[v] = b->rows->loads[v];
    }
    for (pen_lid i = 0; i < view->shadows; i++) {
        a->gids[view->count + i] = shadows[i].gid;
        a->owners[i] = shadows[i].index;
    }
    for (int64_t j = 0; j < b->count; j++) {
        const arc *c = &b->arcs[j];
        const numbered key = { c->gid, 0 }, *found = NULL;
        if (c->owner != b->comm->rank) found = bsearch(&key, shadows, (size_t)view->shadows, sizeof key, compare_gids);
        a->columns[j] = found ? view->count + (pen_lid)(found - shadows) : find(b, c->gid);
        if (a->weights) a->weights[j] = c->weight;
        a->rows[c->node + 1] = (uint32_t)(j + 1);
    }
    for (pen_lid v = 0; v < view->count; v++) /* nodes without neighbours */
        if (a->rows[v + 1] < a->rows[v]) a->rows[v + 1] = a->rows[v];
}

static pen_status build(const building *b, pen_load_view *view)
{
    numbered *shadows = NULL;
    arrays a = { .gids = NULL };
    int64_t shadow_count;
    pen_status status = list_shadows(b, &shadows, &shadow_count);
    view->count = b->rows->count;
    if (status == PEN_OK) status = pen_to_lid(view->count + shadow_count, "nodes and neighbours", &view->shadows);
    if (status == PEN_OK && b->count > UINT32_MAX)
        status = pen_fail(PEN_ERR_UNSUPPORTED, "%" PRId64 " neighbours on one rank, 2^32 - 1 are possible", b->count);
    view->shadows = (pen_lid)shadow_count;
    if (status == PEN_OK) status = PEN_ALLOC(&a.gids, view->count + shadow_count);
    if (status == PEN_OK) status = PEN_ALLOC(&a.owners, shadow_count);
    if (status == PEN_OK) status = PEN_ALLOC(&a.loads, view->count);
    if (status == PEN_OK) status = PEN_ALLOC_ZERO(&a.rows, (int64_t)view->count + 1);
    if (status == PEN_OK) status = PEN_ALLOC(&a.columns, b->count);
    if (status == PEN_OK && (b->rows->edge_weights || b->rows->directed)) status = PEN_ALLOC(&a.weights, b->count);
    if (status == PEN_OK) fill(b, shadows, view, &a);
    free(shadows);
    view->gids = a.gids;
    view->owners = a.owners;
    view->loads = a.loads;
    view->rows = a.rows;
    view->columns = a.columns;
    view->edge_weights = a.weights;
    return status;
}

pen_status pen_load_view_create(pen_comm *comm, const pen_view_rows *rows, pen_load_view *view)
{
    building b = { .comm = comm, .rows = rows };
    *view = (pen_load_view){ .horizon = 1.0 };
    pen_status status = sort_nodes(&b);
    if (status == PEN_OK) status = list_arcs(&b);
    if (rows->directed) status = add_readers(&b, status);
    if (status == PEN_OK && !in_order(&b)) qsort(b.arcs, (size_t)b.count, sizeof *b.arcs, compare_arcs);
    if (status == PEN_OK) {
        merge_arcs(&b);
        status = build(&b, view);
    }
    free(b.by_gid);
    free(b.arcs);
    status = pen_agree(comm, status);
    if (status != PEN_OK) pen_load_view_free(view);
    return status;
}

pen_status pen_load_view_of_graph(const pen_graph *graph, pen_load_view *view)
{
    pen_gid *gids = NULL;
    double *loads = NULL;
    int64_t *ranks = NULL, *owners_wide = NULL, arcs = graph->rows[graph->count];
    int32_t *owners = NULL;
    *view = (pen_load_view){ .horizon = 1.0 };
    pen_status status = PEN_ALLOC(&gids, graph->count);
    if (status == PEN_OK) status = PEN_ALLOC(&loads, graph->count);
    if (status == PEN_OK) status = PEN_ALLOC(&ranks, graph->count);
    if (status == PEN_OK) status = PEN_ALLOC(&owners_wide, arcs);
    if (status == PEN_OK) status = PEN_ALLOC(&owners, arcs);
    for (pen_lid i = 0; status == PEN_OK && i < graph->count; i++) {
        gids[i] = pen_graph_gid(graph, i);
        loads[i] = (double)pen_graph_load(graph, i);
        ranks[i] = graph->comm->rank;
    }
    status = pen_neighbor_values(graph, status, ranks, owners_wide);
    if (status == PEN_OK) {
        for (int64_t j = 0; j < arcs; j++) owners[j] = (int32_t)owners_wide[j];
        const pen_view_rows rows = { graph->count,        gids,           loads, graph->rows, graph->neighbors, owners,
                                     graph->edge_weights, graph->directed };
        status = pen_load_view_create(graph->comm, &rows, view);
    }
    free(gids);
    free(loads);
    free(ranks);
    free(owners_wide);
    free(owners);
    return status;
}

void pen_load_view_free(pen_load_view *view)
{
    free((void *)(uintptr_t)view->gids);
    free((void *)(uintptr_t)view->owners);
    free((void *)(uintptr_t)view->loads);
    free((void *)(uintptr_t)view->rows);
    free((void *)(uintptr_t)view->columns);
    free((void *)(uintptr_t)view->edge_weights);
    *view = (pen_load_view){ .count = 0 };
}
