/* view.c - makes load views from rows of gids. */
#include "view/view.h"
#include "base/key_table.h"
#include "base/memory.h"
#include "base/sparse.h"
#include "view/neighbors.h"

#include <stdlib.h>

/* ---- Own nodes by gid ----------------------------------------------------------------------- */

/* Finds own nodes by gid; contiguous gids need no table. */
typedef struct finder {
    const pen_gid *gids; /* [count] gids of own nodes */
    bool contiguous;
    pen_key_table places;
} finder;

static pen_status finder_create(pen_lid count, const pen_gid *gids, finder *f)
{
    *f = (finder){ .gids = gids, .contiguous = true };
    for (pen_lid i = 1; i < count && f->contiguous; i++) f->contiguous = gids[i] - gids[0] == i;
    if (f->contiguous) return PEN_OK;
    PEN_TRY(pen_key_table_fit(&f->places, count));
    for (pen_lid i = 0; i < count; i++)
        *pen_key_entry(&f->places, gids, sizeof *gids, (uint64_t)gids[i]) = (uint32_t)i + 1;
    return PEN_OK;
}

static pen_lid find(const finder *f, pen_gid gid)
{
    if (f->contiguous) return (pen_lid)(gid - f->gids[0]);
    uint32_t entry = *pen_key_entry(&f->places, f->gids, sizeof *f->gids, (uint64_t)gid);
    PEN_INVARIANT(entry > 0);
    return (pen_lid)(entry - 1);
}

/* ---- The view ------------------------------------------------------------------------------- */

/* The arrays of a view, which are const for algorithms and are written here. */
typedef struct arrays {
    pen_gid *gids;
    int32_t *owners;
    double *loads;
    uint32_t *rows;
    pen_lid *columns;
    int64_t *weights, *reads;
} arrays;

/* A shadow with its owner. */
typedef struct owned {
    pen_gid gid;
    int32_t owner;
} owned;

/* List the neighbours on other ranks, ascending and each once, with their owners. */
static pen_status list_shadows(int rank, const pen_view_rows *rows, owned **shadows, int64_t *count)
{
    int64_t arcs = rows->rows[rows->count], n = 0;
    for (int64_t j = 0; j < arcs; j++) n += rows->owners[j] != rank;
    PEN_TRY(PEN_ALLOC(shadows, n));
    owned *s = *shadows;
    n = 0;
    for (int64_t j = 0; j < arcs; j++)
        if (rows->owners[j] != rank) s[n++] = (owned){ rows->neighbors[j], rows->owners[j] };
    qsort(s, (size_t)n, sizeof *s, pen_by_gid);
    *count = 0;
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || s[i].gid != s[*count - 1].gid) s[(*count)++] = s[i];
    return PEN_OK;
}

static void fill(int rank, const pen_view_rows *rows, const finder *f, const owned *shadows, int64_t shadow_count,
                 const arrays *a)
{
    for (pen_lid v = 0; v < rows->count; v++) {
        a->gids[v] = rows->gids[v];
        a->loads[v] = rows->loads[v];
    }
    for (int64_t i = 0; i < shadow_count; i++) {
        a->gids[rows->count + i] = shadows[i].gid;
        a->owners[i] = shadows[i].owner;
    }
    for (pen_lid v = 0; v <= rows->count; v++) a->rows[v] = (uint32_t)rows->rows[v];
    for (int64_t j = 0; j < rows->rows[rows->count]; j++) {
        const owned key = { rows->neighbors[j], 0 }, *found = NULL;
        if (rows->owners[j] != rank) found = bsearch(&key, shadows, (size_t)shadow_count, sizeof key, pen_by_gid);
        a->columns[j] = found ? rows->count + (pen_lid)(found - shadows) : find(f, key.gid);
        if (a->weights) a->weights[j] = rows->edge_weights[j];
        if (a->reads) a->reads[j] = rows->reads[j];
    }
}

pen_status pen_load_view_create(int rank, const pen_view_rows *rows, pen_load_view *view)
{
    owned *shadows = NULL;
    finder own;
    arrays a = { .gids = NULL };
    int64_t arcs = rows->rows[rows->count], shadow_count = 0;
    pen_lid all;
    pen_status status = finder_create(rows->count, rows->gids, &own);
    if (status == PEN_OK) status = list_shadows(rank, rows, &shadows, &shadow_count);
    if (status == PEN_OK) status = pen_to_lid(rows->count + shadow_count, "nodes and neighbours", &all);
    if (status == PEN_OK && arcs > UINT32_MAX)
        status = pen_fail(PEN_ERR_UNSUPPORTED, "%" PRId64 " neighbours on one rank, 2^32 - 1 are possible", arcs);
    if (status == PEN_OK) status = PEN_ALLOC(&a.gids, rows->count + shadow_count);
    if (status == PEN_OK) status = PEN_ALLOC(&a.owners, shadow_count);
    if (status == PEN_OK) status = PEN_ALLOC(&a.loads, rows->count);
    if (status == PEN_OK) status = PEN_ALLOC(&a.rows, (int64_t)rows->count + 1);
    if (status == PEN_OK) status = PEN_ALLOC(&a.columns, arcs);
    if (status == PEN_OK && rows->edge_weights) status = PEN_ALLOC(&a.weights, arcs);
    if (status == PEN_OK && rows->reads) status = PEN_ALLOC(&a.reads, arcs);
    if (status == PEN_OK) fill(rank, rows, &own, shadows, shadow_count, &a);
    pen_key_table_free(&own.places);
    free(shadows);
    *view = (pen_load_view){ .count = rows->count,
                             .shadows = (pen_lid)shadow_count,
                             .gids = a.gids,
                             .owners = a.owners,
                             .loads = a.loads,
                             .rows = a.rows,
                             .columns = a.columns,
                             .edge_weights = a.weights,
                             .reads = a.reads,
                             .horizon = 1.0,
                             .speed = 1.0,
                             .hosts = 1 };
    if (status != PEN_OK) pen_load_view_free(view);
    return status;
}

/* ---- Readers as neighbours ------------------------------------------------------------------ */

/* An arc from an own node to a neighbour. */
typedef struct arc {
    pen_lid node;
    int32_t owner; /* owner of the neighbour */
    pen_gid gid;
    int64_t weight, reads;
} arc;

/* A message to the owner of a node that one of this rank's nodes reads. */
typedef struct reader {
    pen_gid node, gid; /* gid of the node that is read, and of the node that reads it */
    int64_t weight;
} reader;

static pen_status list_arcs(const pen_view_rows *rows, arc **arcs)
{
    PEN_TRY(PEN_ALLOC(arcs, rows->rows[rows->count]));
    for (pen_lid v = 0; v < rows->count; v++)
        for (int64_t j = rows->rows[v]; j < rows->rows[v + 1]; j++) {
            int64_t weight = rows->edge_weights ? rows->edge_weights[j] : 1;
            (*arcs)[j] = (arc){ v, rows->owners[j], rows->neighbors[j], weight, weight };
        }
    return PEN_OK;
}

/* Collective. Send the messages to the owners of the nodes that are read. */
static pen_status tell_readers(pen_comm *comm, pen_status mine, const pen_view_rows *rows, const arc *arcs,
                               pen_blocks *received)
{
    int64_t count = rows->rows[rows->count];
    pen_blocks send = { 0 };
    reader *readers = NULL;
    if (mine == PEN_OK) mine = PEN_ALLOC(&readers, count);
    for (int64_t j = 0; mine == PEN_OK && j < count; j++)
        readers[j] = (reader){ arcs[j].gid, rows->gids[arcs[j].node], arcs[j].weight };
    if (mine == PEN_OK) mine = pen_blocks_group(count, rows->owners, readers, sizeof *readers, &send, NULL);
    free(readers);
    mine = pen_sparse_exchange(comm, mine, &send, received);
    pen_blocks_free(&send);
    return mine;
}

static pen_status add_readers(const pen_view_rows *rows, const pen_blocks *received, arc **arcs, int64_t *count)
{
    finder own;
    int64_t total = received->count > 0 ? received->offsets[received->count] / (int64_t)sizeof(reader) : 0;
    PEN_TRY(PEN_REALLOC(arcs, *count + total));
    PEN_TRY(finder_create(rows->count, rows->gids, &own));
    for (int i = 0; i < received->count; i++)
        for (int64_t at = received->offsets[i]; at < received->offsets[i + 1]; at += (int64_t)sizeof(reader)) {
            const reader *r = (const reader *)(const void *)(received->data + at);
            (*arcs)[(*count)++] = (arc){ find(&own, r->node), received->ranks[i], r->gid, r->weight, 0 };
        }
    pen_key_table_free(&own.places);
    return PEN_OK;
}

static int by_node_and_gid(const void *a, const void *b)
{
    const arc *x = (const arc *)a, *y = (const arc *)b;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    return (x->gid > y->gid) - (x->gid < y->gid);
}

/* Create the view from arcs, with each neighbour once in a row. */
static pen_status create_of_arcs(int rank, const pen_view_rows *like, arc *arcs, int64_t count, pen_load_view *view)
{
    int64_t *starts = NULL, *weights = NULL, *reads = NULL, kept = 0;
    pen_gid *neighbors = NULL;
    int32_t *owners = NULL;
    qsort(arcs, (size_t)count, sizeof *arcs, by_node_and_gid);
    pen_status status = PEN_ALLOC_ZERO(&starts, (int64_t)like->count + 1);
    if (status == PEN_OK) status = PEN_ALLOC(&weights, count);
    if (status == PEN_OK) status = PEN_ALLOC(&reads, count);
    if (status == PEN_OK) status = PEN_ALLOC(&neighbors, count);
    if (status == PEN_OK) status = PEN_ALLOC(&owners, count);
    for (int64_t j = 0; status == PEN_OK && j < count; j++) {
        if (j > 0 && by_node_and_gid(&arcs[j - 1], &arcs[j]) == 0) {
            weights[kept - 1] += arcs[j].weight;
            reads[kept - 1] += arcs[j].reads;
            continue;
        }
        weights[kept] = arcs[j].weight;
        reads[kept] = arcs[j].reads;
        neighbors[kept] = arcs[j].gid;
        owners[kept++] = arcs[j].owner;
        starts[arcs[j].node + 1]++;
    }
    if (status == PEN_OK) {
        for (pen_lid v = 0; v < like->count; v++) starts[v + 1] += starts[v];
        const pen_view_rows rows = { like->count, like->gids, like->loads, starts, neighbors, owners, weights, reads };
        status = pen_load_view_create(rank, &rows, view);
    }
    PEN_FREE_ALL(starts, weights, reads, neighbors, owners);
    return status;
}

pen_status pen_load_view_create_mutual(pen_comm *comm, const pen_view_rows *rows, pen_load_view *view)
{
    pen_blocks received = { 0 };
    arc *arcs = NULL;
    int64_t count = rows->rows[rows->count];
    *view = (pen_load_view){ .count = 0 };
    pen_status status = list_arcs(rows, &arcs);
    status = tell_readers(comm, status, rows, arcs, &received);
    if (status == PEN_OK) status = add_readers(rows, &received, &arcs, &count);
    pen_blocks_free(&received);
    if (status == PEN_OK) status = create_of_arcs(comm->rank, rows, arcs, count, view);
    free(arcs);
    status = pen_agree(comm, status);
    if (status != PEN_OK) pen_load_view_free(view);
    return status;
}

/* ---- Places and machines --------------------------------------------------------------------- */

void pen_load_view_place(pen_load_view *view, const pen_comm *comm, const pen_world *world, int dimensions,
                         const double *coordinates)
{
    view->dimensions = dimensions;
    view->coordinates = coordinates;
    view->grid = world->grid;
    view->width = world->width;
    view->height = world->height;
    view->depth = world->depth;
    view->speed = 1.0;
    view->host = comm->host_number;
    view->hosts = comm->hosts;
}

void pen_load_view_set_machine(pen_load_view *view, int rank, const pen_machine *machine)
{
    view->machine = machine;
    view->speed = machine && rank < machine->processors ? machine->speeds[rank] : 1.0;
}

/* ---- Views of graphs ------------------------------------------------------------------------- */

pen_status pen_load_view_of_graph(const pen_graph *graph, bool mutual, pen_load_view *view)
{
    pen_comm *comm = graph->comm;
    pen_gid *gids = NULL;
    double *loads = NULL;
    int32_t *ranks = NULL, *owners = NULL;
    *view = (pen_load_view){ .count = 0 };
    pen_status status = PEN_ALLOC(&gids, graph->count);
    if (status == PEN_OK) status = PEN_ALLOC(&loads, graph->count);
    if (status == PEN_OK) status = PEN_ALLOC(&ranks, graph->count);
    if (status == PEN_OK) status = PEN_ALLOC(&owners, graph->rows[graph->count]);
    for (pen_lid i = 0; status == PEN_OK && i < graph->count; i++) {
        gids[i] = pen_graph_gid(graph, i);
        loads[i] = (double)pen_graph_load(graph, i);
        ranks[i] = comm->rank;
    }
    status = pen_neighbor_values(graph, status, ranks, owners);
    if (status == PEN_OK) {
        const pen_view_rows rows = { graph->count,        gids, loads, graph->rows, graph->neighbors, owners,
                                     graph->edge_weights, NULL };
        if (mutual && graph->directed) status = pen_load_view_create_mutual(comm, &rows, view);
        else status = pen_agree(comm, pen_load_view_create(comm->rank, &rows, view));
        if (status != PEN_OK) pen_load_view_free(view);
    }
    if (status == PEN_OK) {
        const pen_world world = pen_graph_world(graph);
        pen_load_view_place(view, comm, &world, graph->dimensions, graph->coordinates);
    }
    PEN_FREE_ALL(gids, loads, ranks, owners);
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
    free((void *)(uintptr_t)view->reads);
    *view = (pen_load_view){ .count = 0 };
}
