/* pattern.c - makes the graphs of the exchanges that are compared. */
#include "tools/comm/pattern.h"
#include "base/memory.h"
#include "store/create_store.h"
#include <penumbra_partition.h>

#include <stdlib.h>

/* This rank's rows, while they are collected. */
typedef struct rows {
    pen_gid *gids, *neighbors;
    int64_t *offsets;
    pen_lid count;
} rows;

static pen_status rows_make(pen_lid count, int64_t arcs, rows *r)
{
    PEN_TRY(PEN_ALLOC(&r->gids, count));
    PEN_TRY(PEN_ALLOC(&r->neighbors, arcs));
    return PEN_ALLOC_ZERO(&r->offsets, (int64_t)count + 1);
}

/* Collective. Make a pattern of the rows, which are freed. `status` is the result of collecting them. */
static pen_status make_pattern(pen_comm *comm, pen_status status, rows *r, bool directed, comm_pattern *pattern)
{
    status = pen_agree(comm, status);
    if (status == PEN_OK) {
        pen_csr csr = {
            .count = r->count, .gids = r->gids, .rows = r->offsets, .neighbors = r->neighbors, .directed = directed
        };
        status = pen_graph_from_csr(comm->mpi, &csr, &pattern->graph);
    }
    PEN_FREE_ALL(r->gids, r->neighbors, r->offsets);
    if (status == PEN_OK) status = pen_agree(comm, PEN_ALLOC(&pattern->owner, pattern->graph->count));
    for (pen_lid i = 0; status == PEN_OK && i < pattern->graph->count; i++) pattern->owner[i] = comm->rank;
    return status;
}

static pen_status collect_cut(const pen_store *store, rows *r)
{
    PEN_TRY(rows_make(store->owned, store->rows[store->owned], r));
    for (pen_lid slot = 0; slot < store->owned; slot++) {
        int64_t *end = &r->offsets[r->count + 1];
        *end = r->offsets[r->count];
        for (uint32_t k = store->rows[slot]; k < store->rows[slot + 1]; k++)
            if (store->columns[k] >= store->owned) r->neighbors[(*end)++] = store->gids[store->columns[k]];
        if (slot < store->boundary || *end > r->offsets[r->count] || slot == 0) r->gids[r->count++] = store->gids[slot];
    }
    return PEN_OK;
}

pen_status pen_pattern_cut(pen_comm *comm, const pen_graph *graph, const char *partitioner, const char *machine,
                           comm_pattern *pattern, pen_lid *whole)
{
    static const pen_field byte = { .name = "byte", .size = 1 };
    int32_t *owner = NULL;
    pen_store *store = NULL;
    rows r = { .count = 0 };
    *pattern = (comm_pattern){ .graph = NULL };
    pen_status status = pen_agree(comm, PEN_ALLOC(&owner, graph->count));
    if (status == PEN_OK) status = pen_graph_partition(graph, partitioner, machine, comm->size, owner);
    if (status == PEN_OK) status = pen_store_create(comm, graph, owner, PEN_ORDER_NATURAL, &byte, 1, &store);
    free(owner);
    if (status != PEN_OK) return status;
    *whole = store->capacity;
    status = make_pattern(comm, collect_cut(store, &r), &r, store->directed, pattern);
    pen_store_destroy(&store);
    if (status != PEN_OK) pen_pattern_free(pattern);
    return status;
}

static pen_status collect_ring(const pen_comm *comm, int neighbors, pen_lid nodes, rows *r)
{
    PEN_TRY(rows_make(nodes, (int64_t)nodes * neighbors, r));
    for (r->count = 0; r->count < nodes; r->count++) {
        int64_t *end = &r->offsets[r->count + 1];
        *end = r->offsets[r->count];
        r->gids[r->count] = (pen_gid)comm->rank * nodes + r->count;
        for (int k = 1; k <= neighbors; k++)
            r->neighbors[(*end)++] = (pen_gid)((comm->rank + k) % comm->size) * nodes + r->count;
    }
    return PEN_OK;
}

pen_status pen_pattern_ring(pen_comm *comm, int neighbors, pen_lid nodes, comm_pattern *pattern)
{
    rows r = { .count = 0 };
    *pattern = (comm_pattern){ .graph = NULL };
    pen_status status = make_pattern(comm, collect_ring(comm, neighbors, nodes, &r), &r, true, pattern);
    if (status != PEN_OK) pen_pattern_free(pattern);
    return status;
}

void pen_pattern_free(comm_pattern *pattern)
{
    pen_graph_destroy(&pattern->graph);
    free(pattern->owner);
    *pattern = (comm_pattern){ .graph = NULL };
}
