#include "tools/comm/plans.h"
#include "base/memory.h"
#include "partition/partition.h"

#include <stdlib.h>

/* This rank's rows, as they are collected. */
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

/* Collective. `status` is what became of the rows, which are freed. */
static pen_status make_plan(pen_comm *comm, pen_status status, rows *r, bool directed, comm_plan *plan)
{
    status = pen_agree(comm, status);
    if (status == PEN_OK) {
        pen_csr csr = {
            .count = r->count, .gids = r->gids, .rows = r->offsets, .neighbors = r->neighbors, .directed = directed
        };
        status = pen_graph_from_csr(comm->mpi, &csr, &plan->graph);
    }
    free(r->gids);
    free(r->neighbors);
    free(r->offsets);
    if (status == PEN_OK) status = pen_agree(comm, PEN_ALLOC(&plan->owner, plan->graph->count));
    for (pen_lid i = 0; status == PEN_OK && i < plan->graph->count; i++) plan->owner[i] = comm->rank;
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

pen_status comm_plan_cut(pen_comm *comm, const pen_graph *graph, const char *partitioner, comm_plan *plan,
                         pen_lid *whole)
{
    static const pen_field byte = { "byte", 1 };
    int32_t *owner = NULL;
    pen_store *store = NULL;
    rows r = { .count = 0 };
    *plan = (comm_plan){ .graph = NULL };
    pen_status status = pen_agree(comm, PEN_ALLOC(&owner, graph->count));
    if (status == PEN_OK) status = pen_partition(graph, partitioner, comm->size, owner);
    if (status == PEN_OK) status = pen_store_create(comm, graph, owner, &byte, 1, &store);
    free(owner);
    if (status != PEN_OK) return status;
    *whole = store->capacity;
    status = make_plan(comm, collect_cut(store, &r), &r, store->directed, plan);
    pen_store_destroy(&store);
    if (status != PEN_OK) comm_plan_free(plan);
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

pen_status comm_plan_ring(pen_comm *comm, int neighbors, pen_lid nodes, comm_plan *plan)
{
    rows r = { .count = 0 };
    *plan = (comm_plan){ .graph = NULL };
    pen_status status = make_plan(comm, collect_ring(comm, neighbors, nodes, &r), &r, true, plan);
    if (status != PEN_OK) comm_plan_free(plan);
    return status;
}

void comm_plan_free(comm_plan *plan)
{
    pen_graph_destroy(&plan->graph);
    free(plan->owner);
    *plan = (comm_plan){ .graph = NULL };
}
